import { limits } from '@mailproof/shared-types';
import type { ProfileForm, ProfileKind, ProfileNetwork } from './profile-form.ts';
import { profileNetworks } from './profile-networks.ts';

/** A profile, as its URL names it. */
export interface ProfileUrl {
  /** The same for every spelling of a profile's URL, and for no other profile: `linkedin.com/in/ada-lovelace`. */
  readonly profileKey: string;
  /** The URL in its canonical spelling, at which the profile can be read. */
  readonly profileUrl: string;
  /** Whom it is of, where the URL tells. */
  readonly kind?: ProfileKind | undefined;
  /** The network whose documented form it has; nothing for any other URL, which is a profile only if the store holds it. */
  readonly network?: string | undefined;
}

/** Parameters that say where a visitor came from, and nothing of the page. */
const noise =
  /^(?:utm_\w+|trk\w*|fbclid|gclid|gbraid|wbraid|dclid|msclkid|mc_[ce]id|igshid|ref|ref_src|_hs\w+|originalsubdomain)$/i;

/**
 * Reads the URL of a profile, whatever the spelling: with a scheme or without, on whichever sub-domain, in whatever case,
 * percent-encoded or not, with parts, parameters and fragments that do not change whose profile it is. Answers nothing
 * for what is no URL of a web page that a stranger could mean well with. Reading `profileUrl` or `profileKey` again gives
 * the same.
 */
export function parseProfileUrl(text: string): ProfileUrl | undefined {
  const url = webUrl(text);
  if (url === undefined) {
    return undefined;
  }
  const segments = decodedSegments(url.pathname);
  if (segments === undefined) {
    return undefined;
  }
  const found = networkOf(url.hostname);
  const profile = found === undefined ? otherProfile(url, segments) : profileOf(found, url, segments);
  // Encoding can make a URL longer than what was typed; the canonical one has to be readable again.
  return profile !== undefined && profile.profileUrl.length <= limits.profileUrlCharactersMax
    ? profile
    : undefined;
}

/** Parses as a browser does, minus all by which a URL can look like another one. */
function webUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  // Browsers drop line ends and tabs in the middle and read a backslash as a slash; nobody writes a profile so.
  if (trimmed === '' || trimmed.length > limits.profileUrlCharactersMax || /[\s\p{Cc}\\]/u.test(trimmed)) {
    return undefined;
  }
  const url = URL.parse(withScheme(trimmed) ?? '');
  if (url === null || url.username !== '' || url.password !== '') {
    return undefined;
  }
  url.hostname = url.hostname.replace(/\.$/, '');
  return isHostName(url.hostname) ? url : undefined;
}

function withScheme(text: string): string | undefined {
  if (/^https?:\/\/[^/]/i.test(text)) {
    return text;
  }
  if (/^\/\/[^/]/.test(text)) {
    return `https:${text}`;
  }
  // What stands before a colon is a scheme unless it has a full stop, as the host of `linkedin.com:443/in/ada` has.
  return /^[^/?#]*:/.test(text) && !/^[^/?#:]+\.[^/?#:]+:\d/.test(text) ? undefined : `https://${text}`;
}

/** The parts of the path, or nothing where it is not UTF-8 or says something that no path should. */
function decodedSegments(path: string): string[] | undefined {
  try {
    const segments = path
      .split('/')
      .filter(Boolean)
      .map(segment => decodeURIComponent(segment).normalize('NFC'));
    return segments.some(segment => /[\p{Cc}\\\ufffd]/u.test(segment)) ? undefined : segments;
  } catch {
    return undefined;
  }
}

function networkOf(hostname: string): ProfileNetwork | undefined {
  return profileNetworks.find(({ hosts, subdomains }) =>
    hosts.some(
      host =>
        hostname === host ||
        (hostname.endsWith(`.${host}`) && subdomains.test(hostname.slice(0, -host.length - 1))),
    ),
  );
}

function profileOf(network: ProfileNetwork, url: URL, segments: readonly string[]): ProfileUrl | undefined {
  if (url.port !== '') {
    return undefined;
  }
  for (const form of network.forms) {
    const handle = handleOf(form, url, segments);
    if (handle !== undefined) {
      const encoded = handle.split('/').map(encodeURIComponent).join('/');
      const path = form.path?.(encoded) ?? [...form.before, encoded].join('/');
      return {
        profileKey: `${network.hosts[0]}/${path}`,
        profileUrl: `https://${network.canonicalHost ?? network.hosts[0]}/${path}`,
        kind: form.kind,
        network: network.name,
      };
    }
  }
  return undefined;
}

/** The handle in its canonical spelling, if the URL has this form. */
function handleOf(form: ProfileForm, url: URL, segments: readonly string[]): string | undefined {
  const { before, parameter, segmentsMax = 1, after, reserved } = form;
  const isPath = before.every((word, position) =>
    word === '*' ? segments[position] !== undefined : segments[position]?.toLowerCase() === word,
  );
  if (!isPath) {
    return undefined;
  }
  const rest = segments.slice(before.length);
  const handle =
    parameter === undefined ? rest.splice(0, segmentsMax).join('/') : url.searchParams.get(parameter);
  if (!handle || reserved?.has((handle.split('/')[0] ?? '').toLowerCase())) {
    return undefined;
  }
  const isWhole = after === 'anything' || rest.every(word => after?.has(word.toLowerCase()));
  return isWhole ? canonicalHandle(form, handle) : undefined;
}

/** Normalised after the change of case, which can part what belonged together. */
function canonicalHandle(form: ProfileForm, handle: string): string | undefined {
  const canonical = (form.canonical ?? lowerCase)(handle)?.normalize('NFC');
  return canonical !== undefined && form.handle.test(canonical) ? canonical : undefined;
}

function lowerCase(handle: string): string {
  return handle.toLowerCase();
}

/** Any other page. Case counts in its path, since nobody knows better; scheme and `www.` do not. */
function otherProfile(url: URL, segments: readonly string[]): ProfileUrl | undefined {
  const host = url.hostname.replace(/^(?:www\.)+/, '');
  if (!isHostName(host) || networkOf(host) !== undefined) {
    return undefined;
  }
  const kept = [...url.searchParams].filter(([name]) => !noise.test(name));
  const query = new URLSearchParams(kept);
  query.sort();
  const path = segments.map(encodeURIComponent).join('/');
  const place = `${url.port && `:${url.port}`}${path && `/${path}`}${query.size > 0 ? `?${query}` : ''}`;
  return { profileKey: `${host}${place}`, profileUrl: `https://${url.hostname}${place}` };
}

/** A profile stands on a named host: neither on an address, however it is written, nor on a name of one's own network. */
function isHostName(host: string): boolean {
  return (
    host.length <= 253 && /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+(?!\d+$)[a-z\d-]{2,63}$/.test(host)
  );
}
