import { type ExportId, limits, type WebhookOptions, type WebhookPresetName } from '@mailproof/shared-types';

/** Where the rows of a push go. Only the sender knows it, and it is deleted once the push is over. */
export interface Destination {
  readonly url: string;
  readonly header: { readonly name: string; readonly value: string } | null;
  /** `whsec_` and base64 (Standard Webhooks). */
  readonly signingSecret: string;
}

/** Stores destinations while their pushes need them. */
export interface DestinationStore {
  keep(exportId: ExportId, destination: Destination): Promise<void>;
  /** Finds a destination and extends its lifetime. Undefined if it was lost, or can no longer be opened. */
  find(exportId: ExportId): Promise<Destination | undefined>;
  forget(exportId: ExportId): Promise<void>;
}

/** A problem of a destination; the message does not repeat the destination. */
export interface DestinationIssue {
  readonly path: string;
  readonly message: string;
}

/** Classifies a host by its address: `allowed` is private and permitted. A name is resolved at the request. */
export type ClassifyHost = (host: string) => 'public' | 'allowed' | 'refused' | 'unknown';

/** Headers that determine where a request goes or how it is framed, or that we set ourselves. */
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

/** Lower ports belong to other protocols, whose services could misinterpret an HTTP request. */
const freePortMin = 1_024;
const webPorts: ReadonlySet<string> = new Set(['', '80', '443']);

/** Checks a destination, as far as possible without a network request. */
export function destinationIssues(
  { url: text, header }: Pick<Destination, 'url' | 'header'>,
  classifyHost: ClassifyHost,
): DestinationIssue[] {
  const issues: DestinationIssue[] = [];
  const url = new URL(text);
  const hostClass = classifyHost(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.username !== '' || url.password !== '') {
    issues.push({ path: 'url', message: 'must not contain a user and password; send them in a header' });
  }
  if (!webPorts.has(url.port) && Number(url.port) < freePortMin) {
    issues.push({ path: 'url', message: 'must use the port 80, 443 or one above 1023' });
  }
  if (url.hostname.replace(/\.$/, '').length > limits.domainOctetsMax) {
    issues.push({
      path: 'url',
      message: `must name a host of at most ${limits.domainOctetsMax} characters`,
    });
  }
  if (hostClass === 'refused') {
    issues.push({ path: 'url', message: 'must not be a private address' });
  }
  if (url.protocol === 'http:' && hostClass === 'public') {
    issues.push({
      path: 'url',
      message: 'must be https, because the request would be readable on its way',
    });
  }
  const name = header?.name.toLowerCase() ?? '';
  if (ourHeaders.has(name) || ourPrefixes.some(prefix => name.startsWith(prefix))) {
    issues.push({
      path: 'header.name',
      message: 'must not be a standard header, or one that we set',
    });
  }
  return issues;
}

/** The hosts of known receivers; subdomains match, too. */
const hosts: readonly (readonly [string, WebhookPresetName])[] = [
  ['api.clay.com', 'clay'],
  ['hooks.zapier.com', 'zapier'],
  ['hooks.airtable.com', 'airtable'],
  ['script.google.com', 'google_apps_script'],
  ['make.com', 'make'],
  ['n8n.cloud', 'n8n'],
];

/** The receiver's preset: the requested one, or else the preset for the URL's host. */
export function presetOf({ preset }: Pick<WebhookOptions, 'preset'>, url: string): WebhookPresetName {
  const { hostname } = new URL(url);
  return preset ?? hosts.find(([host]) => hostname === host || hostname.endsWith(`.${host}`))?.[1] ?? 'none';
}
