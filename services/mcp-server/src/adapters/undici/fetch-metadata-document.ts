import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from '@mailproof/service-kit';
import { Agent, fetch } from 'undici';
import {
  DocumentUnreachable,
  metadataDocumentBytesMax,
  readMetadataDocument,
} from '../../domain/oauth/metadata-document.ts';

export interface FetchMetadataDocumentOptions {
  readonly guard: AddressGuard;
  /** Time for the whole document, in milliseconds. */
  readonly deadlineMs: number;
  /** A certification authority besides those that Node knows, as PEM. */
  readonly extraCa?: string | undefined;
}

/** Fetches client ID metadata documents, which strangers name: from allowed addresses only, over TLS, without redirects. */
export interface MetadataDocuments {
  fetch(input: string | URL | Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * What came of a fetch, failure included, is believed for so long, in milliseconds: the library asks again for what it
 * finds wrong, and strangers choose whom we ask.
 */
const recentMs = 10_000;
const recentMax = 100;

interface FetchedDocument {
  readonly document: Readonly<Record<string, unknown>>;
  readonly cacheControl: string | null;
}

export function createMetadataDocuments(options: FetchMetadataDocumentOptions): MetadataDocuments {
  const { guard, deadlineMs, extraCa } = options;
  const agent = new Agent({
    connect: {
      lookup: guardedLookup(guard),
      timeout: deadlineMs,
      ...(extraCa !== undefined && { ca: extraCa }),
    },
    connections: 4,
    pipelining: 0,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxHeaderSize: 16_384,
  });
  const recent = new Map<string, { readonly outcome: Promise<FetchedDocument>; readonly untilMs: number }>();

  async function fetchDocument(url: URL): Promise<FetchedDocument> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // An address in the URL is not looked up, so that the look-up's check does not see it.
    if (url.protocol !== 'https:' || (isIP(host) !== 0 && !guard(host).allowed)) {
      throw new TypeError('The metadata document stands where none may be fetched from.');
    }
    const answer = await fetch(url, {
      dispatcher: agent,
      redirect: 'manual',
      headers: { accept: 'application/json', 'user-agent': 'Mailproof' },
      signal: AbortSignal.timeout(deadlineMs),
    }).catch(cause => {
      throw new DocumentUnreachable('The metadata document could not be fetched.', { cause });
    });
    if (answer.status !== 200 || answer.body === null) {
      await answer.body?.cancel();
      if (answer.status >= 500 || answer.status === 429) {
        throw new DocumentUnreachable(`The metadata document was answered with ${answer.status}.`);
      }
      throw new TypeError(`The metadata document was answered with ${answer.status}.`);
    }
    const document = readMetadataDocument(await readBounded(answer.body, metadataDocumentBytesMax));
    const cacheControl = answer.headers.get('cache-control');
    return { document, cacheControl };
  }

  function fetchOnce(url: URL): Promise<FetchedDocument> {
    const known = recent.get(url.href);
    if (known && known.untilMs > performance.now()) {
      return known.outcome;
    }
    if (recent.size >= recentMax) {
      recent.clear();
    }
    const outcome = fetchDocument(url);
    recent.set(url.href, { outcome, untilMs: performance.now() + recentMs });
    return outcome;
  }

  return {
    async fetch(input) {
      const url = new URL(input instanceof Request ? input.url : input);
      const { document, cacheControl } = await fetchOnce(url);
      return new Response(JSON.stringify(document), {
        status: 200,
        headers: {
          'content-type': 'application/json',
          ...(cacheControl && { 'cache-control': cacheControl }),
        },
      });
    },
    close: () => agent.close(),
  };
}

/** Looks a name up once and connects to the very addresses that were checked, so that no second look-up says otherwise. */
function guardedLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, []);
        return;
      }
      const allowed = found.flatMap(({ address, family }) => {
        const guarded = guard(address);
        return guarded.allowed ? [{ address: guarded.address, family: isIP(guarded.address) || family }] : [];
      });
      const [first] = allowed;
      if (!first) {
        callback(new Error(`${hostname} has no address that may be contacted.`), []);
      } else if (options.all) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

async function readBounded(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new TypeError(`The metadata document is larger than ${bytesMax} octets.`);
    }
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
