import {
  type AddressGuard,
  AddressRefused,
  assertHostAllowed,
  BodyTooLarge,
  guardedLookup,
  readBounded,
} from '@mailproof/service-kit';
import { Agent, fetch } from 'undici';
import {
  DocumentUnreachable,
  metadataDocumentBytesMax,
  readMetadataDocument,
} from '../../domain/oauth/metadata-document.ts';

export interface FetchMetadataDocumentOptions {
  readonly guard: AddressGuard;
  /** Deadline for the whole document, in milliseconds. */
  readonly deadlineMs: number;
  /** A certificate authority, as PEM, in addition to those that Node trusts. */
  readonly extraCa?: string | undefined;
}

/**
 * Fetches client ID metadata documents, whose URLs anyone can choose: only from allowed addresses, over TLS, without
 * redirects.
 */
export interface MetadataDocuments {
  fetch(input: string | URL | Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * How long the outcome of a fetch, including a failure, is cached, in milliseconds. The library refetches a document
 * that it finds invalid, and anyone can choose which host we ask.
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

  function assertUrlAllowed(url: URL): void {
    try {
      // An IP address in the URL is not looked up, so the check in the lookup does not see it.
      assertHostAllowed(url, guard);
    } catch (cause) {
      throw cause instanceof AddressRefused ? notAllowed(cause) : cause;
    }
    if (url.protocol !== 'https:') {
      throw notAllowed();
    }
  }

  async function fetchDocument(url: URL): Promise<FetchedDocument> {
    assertUrlAllowed(url);
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
        throw new DocumentUnreachable(`The metadata document's server responded with ${answer.status}.`);
      }
      throw new TypeError(`The metadata document's server responded with ${answer.status}.`);
    }
    const document = readMetadataDocument(await textOf(answer.body));
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

function notAllowed(cause?: Error): TypeError {
  return new TypeError('The metadata document is at an address that is not allowed.', { cause });
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const octets = await readBounded(body, metadataDocumentBytesMax).catch(cause => {
    throw cause instanceof BodyTooLarge
      ? new TypeError('The metadata document is too large.', { cause })
      : cause;
  });
  return new TextDecoder('utf-8', { fatal: true }).decode(octets);
}
