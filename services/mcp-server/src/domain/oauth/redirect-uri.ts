/** How a client gets its answer: at a website, from a program on the same machine, or from an app that owns a scheme. */
export type RedirectUriKind = 'https' | 'loopback' | 'app';

/** Loopback hosts as URLs spell them. They are told apart all the same: `localhost` is not `127.0.0.1` (RFC 8252 section 8.3). */
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Schemes that a browser carries out, reads from this machine, or gives to something that is no app of the user's. */
const dangerousSchemes: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'chrome:',
  'content:',
  'data:',
  'feed:',
  'file:',
  'filesystem:',
  'ftp:',
  'hcp:',
  'intent:',
  'itms-services:',
  'javascript:',
  'jar:',
  'ldap:',
  'ldaps:',
  'mailto:',
  'mhtml:',
  'nfs:',
  'res:',
  'resource:',
  'search:',
  'shell:',
  'sms:',
  'smb:',
  'ssh:',
  'tel:',
  'telnet:',
  'urn:',
  'vbscript:',
  'view-source:',
  'vnc:',
  'ws:',
  'wss:',
]);

/** Schemes of parts of operating systems, settings and installers among them. */
const systemScheme = /^(ms-|search-ms:|x-apple)/;

/** Longest redirect URI, in characters. */
export const redirectUriCharactersMax = 2_000;

/** What a redirect URI is, or nothing where no answer may be sent: it could be read or carried out by somebody else. */
export function redirectUriKind(redirectUri: string): RedirectUriKind | undefined {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (
    !url ||
    redirectUri.length > redirectUriCharactersMax ||
    // Fragments are forbidden (RFC 6749 section 3.1.2); the others make what people read differ from what is meant.
    /[#\s\\]|[^\x21-\x7e]/.test(redirectUri) ||
    url.username !== '' ||
    url.password !== ''
  ) {
    return undefined;
  }
  if (/^https?:$/.test(url.protocol) && !isSpelledPlainly(redirectUri, url)) {
    return undefined;
  }
  if (url.protocol === 'http:') {
    return loopbackHosts.has(url.hostname) ? 'loopback' : undefined;
  }
  if (url.protocol === 'https:') {
    return loopbackHosts.has(url.hostname) ? undefined : 'https';
  }
  return dangerousSchemes.has(url.protocol) || systemScheme.test(url.protocol) ? undefined : 'app';
}

/**
 * Whether a web address names its host as people read it: `https:evil.example`, `http://127.1` and `https://%65vil.example`
 * lead elsewhere than they look. A host of other characters, which URLs allow, could say something of its own in a
 * policy's list of sources.
 */
function isSpelledPlainly(redirectUri: string, { hostname }: URL): boolean {
  const written = /^https?:\/\/(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:\d+)?(?:[/?]|$)/i.exec(redirectUri)?.[1];
  return written?.toLowerCase() === hostname;
}

/** Where an answer goes, in the words that the consent page and the list of assistants use: a host, or an app's scheme. */
export function redirectHostOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.hostname : url.protocol;
}

/**
 * What a page's `form-action` must name so that Chromium follows the redirect that answers its form. The grammar of a
 * source has no IPv6 address (CSP level 3, section 2.3.1), so that there the scheme must do.
 */
export function formActionOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && !url.hostname.startsWith('[') ? url.origin : url.protocol;
}
