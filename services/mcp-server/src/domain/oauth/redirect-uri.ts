/**
 * How a client receives its response: on a website, in a program on the same machine, or in an app that owns a scheme.
 */
export type RedirectUriKind = 'https' | 'loopback' | 'app';

/** Loopback hosts as URLs spell them. They differ: `localhost` is not `127.0.0.1` (RFC 8252 section 8.3). */
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Schemes that a browser executes, reads from this machine, or passes to something other than the user's apps. */
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

/** Schemes of operating system components, such as settings and installers. */
const systemScheme = /^(ms-|search-ms:|x-apple)/;

/** Longest redirect URI, in characters. */
export const redirectUriCharactersMax = 2_000;

/**
 * The kind of a redirect URI, or undefined if no response may be sent there because another party could read or execute
 * it.
 */
export function redirectUriKind(redirectUri: string): RedirectUriKind | undefined {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (
    !url ||
    redirectUri.length > redirectUriCharactersMax ||
    // Fragments are forbidden (RFC 6749 section 3.1.2); the others make a URI look different from what it means.
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
 * Whether a web address spells its host as people read it: `https:evil.example`, `http://127.1` and
 * `https://%65vil.example` do not lead where they seem to. A host with other characters, which URLs allow, could inject
 * sources into a policy.
 */
function isSpelledPlainly(redirectUri: string, { hostname }: URL): boolean {
  const written = /^https?:\/\/(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:\d+)?(?:[/?]|$)/i.exec(redirectUri)?.[1];
  return written?.toLowerCase() === hostname;
}

/** The destination of a response as the consent page and the list of assistants show it: a host, or an app's scheme. */
export function redirectHostOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.hostname : url.protocol;
}

/**
 * The source that a page's `form-action` must list so that Chromium follows the redirect after its form. Sources cannot
 * contain an IPv6 address (CSP level 3, section 2.3.1), so the scheme is used for those.
 */
export function formActionOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && !url.hostname.startsWith('[') ? url.origin : url.protocol;
}
