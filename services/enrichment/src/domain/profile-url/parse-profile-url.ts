import { limits } from '@mailproof/shared-types';
import {
  type ProfileForm,
  type ProfileKind,
  type ProfileNetwork,
  profileNetworks,
} from './profile-networks.ts';

/** A profile as identified by its URL. */
export interface ProfileUrl {
  /** The same for every spelling of a profile's URL, and unique to it: `linkedin.com/in/ada-lovelace`. */
  readonly profileKey: string;
  /** The canonical URL, at which the profile can be read. */
  readonly profileUrl: string;
  /** Whether it is of a person or an organization, if the URL tells. */
  readonly kind?: ProfileKind | undefined;
  /** The network, if the URL has one of its documented forms. Any other URL is a profile only if the store holds it. */
  readonly network?: string | undefined;
}

/** Tracking parameters, which do not affect the page. */
const noise =
  /^(?:utm_\w+|trk\w*|fbclid|gclid|gbraid|wbraid|dclid|msclkid|mc_[ce]id|igshid|ref|ref_src|_hs\w+|originalsubdomain)$/i;

/**
 * Parses the URL of a profile in any spelling: with or without a scheme, on any subdomain, in any case, percent-encoded
 * or not, with sections, parameters and fragments that do not change the profile. Returns undefined if the text is not
 * the URL of a public web page. Idempotent: parsing `profileUrl` or `profileKey` gives the same result.
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
  // Encoding can make a URL longer than the input; the canonical URL must be parseable again.
  if (profile === undefined || profile.profileUrl.length > limits.profileUrlCharactersMax) {
    return undefined;
  }
  // A removed query or fragment can leave a mark at the end.
  return withoutMarks(profile.profileUrl) === profile.profileUrl
    ? profile
    : parseProfileUrl(profile.profileUrl);
}

/** Parses as a browser does, but rejects tricks that make one URL look like another. */
function webUrl(text: string): URL | undefined {
  const trimmed = withoutMarks(text.trim());
  // Browsers drop newlines and tabs in the middle and treat a backslash as a slash; profile URLs are never written like
  // that.
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

/** Removes quotes, brackets and the punctuation of a sentence around a URL; a bracket stays if it is part of a pair. */
function withoutMarks(text: string): string {
  const opened = text.replace(/^[<("'[]+/, '');
  const ended = opened.replace(/["'>\].,;:!?]+$/, '');
  return ended.includes('(') ? ended : ended.replace(/[)"'>\].,;:!?]+$/, '');
}

function withScheme(text: string): string | undefined {
  if (/^https?:\/\/[^/]/i.test(text)) {
    return text;
  }
  if (/^\/\/[^/]/.test(text)) {
    return `https:${text}`;
  }
  // The text before a colon is a scheme unless it contains a period, like the host of `linkedin.com:443/in/ada`.
  return /^[^/?#]*:/.test(text) && !/^[^/?#:]+\.[^/?#:]+:\d/.test(text) ? undefined : `https://${text}`;
}

/** Returns the decoded path segments, or undefined if the path is not UTF-8 or contains something unacceptable. */
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
      const host = network.eachHostApart
        ? network.hosts.find(each => url.hostname === each || url.hostname.endsWith(`.${each}`))
        : network.hosts[0];
      return {
        profileKey: `${host}/${path}`,
        profileUrl: `https://${network.canonicalHost ?? host}/${path}`,
        kind: form.kind,
        network: network.name,
      };
    }
  }
  return undefined;
}

/** Returns the canonical handle if the URL has this form. */
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

/** Normalized after the case change, which can split composed characters. */
function canonicalHandle(form: ProfileForm, handle: string): string | undefined {
  const canonical = (form.canonical ?? lowerCase)(handle)?.normalize('NFC');
  return canonical !== undefined && form.handle.test(canonical) ? canonical : undefined;
}

function lowerCase(handle: string): string {
  return handle.toLowerCase();
}

/** Any other page. The path is case-sensitive, since case may matter there; the scheme and `www.` are ignored. */
function otherProfile(url: URL, segments: readonly string[]): ProfileUrl | undefined {
  const host = url.hostname.replace(/^(?:www\.)+/, '');
  if (!isHostName(host) || networkOf(host) !== undefined) {
    return undefined;
  }
  const kept = [...url.searchParams].filter(([name]) => !noise.test(name));
  const query = new URLSearchParams(kept);
  query.sort();
  const path = segments.map(encodeURIComponent).join('/');
  const rest = `${url.port && `:${url.port}`}${path && `/${path}`}${query.size > 0 ? `?${query}` : ''}`;
  return { profileKey: `${host}${rest}`, profileUrl: `https://${url.hostname}${rest}` };
}

/** A profile must be on a named host: not on an IP address in any notation, nor on a private network name. */
function isHostName(host: string): boolean {
  return (
    host.length <= 253 && /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+(?!\d+$)[a-z\d-]{2,63}$/.test(host)
  );
}
