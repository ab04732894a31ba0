import type { ExportId } from '@mailproof/shared-types';

/** Where the rows of a push go: known to nobody but who sends them, and to nobody at all when the push is over. */
export interface Destination {
  readonly url: string;
  readonly header: { readonly name: string; readonly value: string } | null;
  /** `whsec_` and base64 (Standard Webhooks). */
  readonly signingSecret: string;
}

/** Where destinations are kept while their pushes need them. */
export interface DestinationStore {
  keep(exportId: ExportId, destination: Destination): Promise<void>;
  /** Finds a destination and keeps it for its whole time again. Undefined when it was lost, or cannot be opened any more. */
  find(exportId: ExportId): Promise<Destination | undefined>;
  forget(exportId: ExportId): Promise<void>;
}

/** What is wrong with a destination, in words that do not repeat it. */
export interface DestinationIssue {
  readonly path: string;
  readonly message: string;
}

/** Where a host stands: `allowed` is private, and let in by the operator. Of a name nothing is known ahead. */
export type PlaceOfHost = (host: string) => 'public' | 'allowed' | 'refused' | 'unknown';

/** Headers that say where a request goes, how it is framed, or what we say ourselves. */
const ourHeaders = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'forwarded',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);
const ourPrefixes = ['proxy-', 'sec-', 'x-forwarded-'];

/** Ports below belong to services that speak no HTTP, and could be made to misread a request as their own. */
const freePortMin = 1_024;
const webPorts: ReadonlySet<string> = new Set(['', '80', '443']);

/** What is wrong with where rows are to go, as far as can be said without asking anybody. */
export function destinationIssues(
  { url: text, header }: Pick<Destination, 'url' | 'header'>,
  placeOf: PlaceOfHost,
): DestinationIssue[] {
  const issues: DestinationIssue[] = [];
  const url = new URL(text);
  const place = placeOf(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.username !== '' || url.password !== '') {
    issues.push({ path: 'url', message: 'must carry no user and password; send them in a header' });
  }
  if (!webPorts.has(url.port) && Number(url.port) < freePortMin) {
    issues.push({ path: 'url', message: 'must have the port 80, 443 or one above 1023' });
  }
  if (place === 'refused') {
    issues.push({ path: 'url', message: 'must not be an address of a private network' });
  }
  if (url.protocol === 'http:' && place === 'public') {
    issues.push({
      path: 'url',
      message: 'must be https: rows name people, and anybody could read them on their way',
    });
  }
  const name = header?.name.toLowerCase() ?? '';
  if (ourHeaders.has(name) || ourPrefixes.some(prefix => name.startsWith(prefix))) {
    issues.push({
      path: 'header.name',
      message: 'must not be a header that every request has, or that we set',
    });
  }
  return issues;
}
