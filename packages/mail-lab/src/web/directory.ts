import { createHash } from 'node:crypto';
import { unescape as decodePath } from 'node:querystring';
import type { KnownMailboxes, PageScript, WebScript } from '../script.ts';
import { openPgpKey } from './openpgp-key.ts';

export type WebAnswer = {
  readonly status: number;
  readonly type?: string;
  readonly headers?: PageScript['headers'];
  readonly body?: Uint8Array | string;
  readonly delayMs?: number;
  readonly endlessEveryMs?: number;
  /** Whether the catalog scripts this path. */
  readonly scripted: boolean;
};

const notFound: WebAnswer = { status: 404, scripted: true };
const keyDirectory = '/.well-known/openpgpkey/';
const keyServer = '/vks/v1/by-email/';
const avatars = '/avatar/';

/** Returns a site's response to a request for a path with a query. */
export function answerRequest(hostName: string, script: WebScript, url: URL): WebAnswer {
  if (script.status !== undefined) return { status: script.status, scripted: true };
  const page = script.pages?.[url.pathname];
  if (page !== undefined) return pageAnswer(page);
  if (url.pathname === '/.well-known/webfinger') return webfinger(hostName, script, url);
  if (url.pathname.startsWith(keyDirectory)) return webKey(hostName, script, url);
  if (url.pathname.startsWith(keyServer)) return keyOnServer(script, url);
  if (url.pathname.startsWith(avatars)) return avatar(script, url);
  if (script.otherPages !== undefined) return otherPage(script.otherPages, url);
  return { status: 404, scripted: script.pages !== undefined };
}

function pageAnswer(page: string | PageScript): WebAnswer {
  return typeof page === 'string'
    ? { status: 200, type: 'text/plain', body: page, scripted: true }
    : { status: 200, type: 'text/html; charset=utf-8', ...page, scripted: true };
}

function otherPage({ body, headers = {}, ...page }: PageScript, url: URL): WebAnswer {
  const asked = url.pathname + url.search;
  const path = decodePath(asked);
  return pageAnswer({
    ...page,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{path}', () => asked)]),
    ),
    ...(body !== undefined && {
      body: typeof body === 'string' ? body.replaceAll('{path}', () => path) : body,
    }),
  });
}

/** RFC 7033 section 4.2: 400 without a resource, 404 for an unknown one. */
function webfinger(hostName: string, script: WebScript, url: URL): WebAnswer {
  if (script.webfinger === undefined) return notFound;
  const resource = url.searchParams.get('resource');
  if (resource === null) return { status: 400, scripted: true };
  const account = /^acct:(.+)@([^@]+)$/.exec(resource);
  if (account?.[1] === undefined || account[2]?.toLowerCase() !== hostName) return notFound;
  if (!knows(script.webfinger, account[1].toLowerCase())) return notFound;
  return {
    status: 200,
    type: 'application/jrd+json',
    body: JSON.stringify({
      subject: resource,
      links: [{ rel: 'http://webfinger.net/rel/profile-page', href: `https://${hostName}/` }],
    }),
    scripted: true,
  };
}

/**
 * The Web Key Directory draft (draft-koch-openpgp-webkey-service): `hu/<hash>` below the directory,
 * with the domain in between for the advanced method, and a policy file that may be empty.
 */
function webKey(hostName: string, script: WebScript, url: URL): WebAnswer {
  const path = url.pathname.slice(keyDirectory.length).split('/');
  const domain = hostName.replace(/^openpgpkey\./, '');
  const advanced = path[0]?.toLowerCase() === domain;
  const known = advanced ? script.wkdAdvanced : script.wkdDirect;
  const [kind, hash] = advanced ? path.slice(1) : path;
  if (known === undefined) return notFound;
  if (kind === 'policy') return { status: 200, type: 'text/plain', body: '', scripted: true };
  if (kind !== 'hu' || hash === undefined) return notFound;
  const localPart =
    known === 'everybody'
      ? (url.searchParams.get('l') ?? 'somebody')
      : known.find(mailbox => webKeyHash(mailbox) === hash);
  if (localPart === undefined) return notFound;
  return {
    status: 200,
    type: 'application/octet-stream',
    body: openPgpKey(`${localPart}@${domain}`),
    scripted: true,
  };
}

/** The interface of keys.openpgp.org: a key by its confirmed address, in ASCII armor (RFC 9580 section 6.2). */
function keyOnServer(script: WebScript, url: URL): WebAnswer {
  const address = decodeURIComponent(url.pathname.slice(keyServer.length)).toLowerCase();
  if (script.keyServer?.includes(address) !== true) return notFound;
  const lines = openPgpKey(address).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    status: 200,
    type: 'application/pgp-keys',
    body: `-----BEGIN PGP PUBLIC KEY BLOCK-----\nComment: ${address}\n\n${lines}\n-----END PGP PUBLIC KEY BLOCK-----\n`,
    scripted: true,
  };
}

/**
 * An avatar by the SHA-256 of a lower-case address. With `d=404`, unknown addresses get a 404 instead of the default
 * avatar.
 */
function avatar(script: WebScript, url: URL): WebAnswer {
  const hash = url.pathname.slice(avatars.length);
  const known = script.avatars?.some(
    address => createHash('sha256').update(address.toLowerCase()).digest('hex') === hash,
  );
  if (known !== true && url.searchParams.get('d') === '404') return notFound;
  return { status: 200, type: 'image/gif', body: smallestGif, scripted: true };
}

const smallestGif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');

/** SHA-1 of the lower-case local part in Z-Base-32, as the Web Key Directory draft names keys. */
export function webKeyHash(localPart: string): string {
  const alphabet = 'ybndrfg8ejkmcpqxot1uwisza345h769';
  const digest = createHash('sha1').update(localPart.toLowerCase(), 'utf8').digest();
  let bits = '';
  for (const octet of digest) bits += octet.toString(2).padStart(8, '0');
  return (bits.match(/.{5}/g) ?? []).map(group => alphabet[Number.parseInt(group, 2)]).join('');
}

function knows(mailboxes: KnownMailboxes, localPart: string): boolean {
  return mailboxes === 'everybody' || mailboxes.includes(localPart);
}
