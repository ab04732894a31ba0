import { createRequire } from 'node:module';

interface Rules {
  isAllowed(url: string, userAgent: string): boolean | undefined;
  getSitemaps(): string[];
}

/** A CommonJS package whose type declarations are those of an ES module. */
const robotsParser = createRequire(import.meta.url)('robots-parser') as (url: string, text: string) => Rules;

/** The name by which robots.txt and pages address us: our product token (RFC 9309 section 2.2.1). */
export const programName = 'Mailproof';

/** What a site's robots.txt says. */
export interface RobotsRules {
  allows(url: string): boolean;
  /** The URLs of sitemaps that the file names. */
  readonly sitemaps: readonly string[];
}

/**
 * Reads the answer to a request for robots.txt, after redirects (RFC 9309 section 2.3.1): a missing file forbids
 * nothing. Undefined if the answer says nothing for now, so that nothing may be requested: if the server fails, or if
 * the rules for us have more wildcards than we compare.
 */
export function readRobots(origin: string, status: number, body: Uint8Array): RobotsRules | undefined {
  if (status >= 500 || status === 429) {
    return undefined;
  }
  if (status !== 200) {
    return { allows: () => true, sitemaps: [] };
  }
  const text = rulesForUs(new TextDecoder().decode(body));
  if (text === undefined) {
    return undefined;
  }
  const rules = robotsParser(`${origin}/robots.txt`, text);
  return {
    allows: url => rules.isAllowed(plainly(url), programName) !== false,
    sitemaps: rules.getSitemaps(),
  };
}

/** Characters of all patterns with wildcards. Comparing a path takes time in proportion to this and to its length. */
const wildcardCharactersMax = 10_000;

/**
 * The rules for us and for all programs, and the sitemaps. The parser stores each rule once for each program of its
 * group, so that thousands of both would fill the memory. Undefined if there are too many wildcards.
 */
function rulesForUs(text: string): string | undefined {
  const kept: string[] = [];
  let group = new Set<string>();
  let isGroupOpen = false;
  let wildcardCharacters = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [plain = ''] = line.split('#', 1);
    const [field = ''] = plain.split(':', 1);
    const value = plain.slice(field.length + 1).trim();
    const name = field.trim().toLowerCase();
    if (name === '' || field === plain) {
      continue;
    }
    if (name === 'user-agent') {
      group = isGroupOpen ? group : new Set();
      // Many files write more than the name: `Mailproof/1.0`, `Mailproof Bot`, `Mailproof*`.
      group.add(/^(?:\*|[a-z_-]+)/i.exec(value)?.[0].toLowerCase() ?? '');
    } else if (name === 'sitemap') {
      kept.push(`sitemap: ${value}`);
    } else if (name === 'allow' || name === 'disallow') {
      const pattern = plainly(value)
        .replace(/\*+/g, '*')
        .replace(/^(?=[^/*])/, '/');
      for (const agent of ownNames.filter(each => group.has(each))) {
        kept.push(`user-agent: ${agent}`, `${name}: ${pattern}`);
        wildcardCharacters += pattern.includes('*') ? pattern.length : 0;
      }
    }
    // Only rules end the names of a group: other records do not interfere (RFC 9309 section 2.2.4).
    isGroupOpen = name === 'user-agent' || (isGroupOpen && name !== 'allow' && name !== 'disallow');
  }
  return wildcardCharacters > wildcardCharactersMax ? undefined : kept.join('\n');
}

/** Decodes the characters that need no encoding, so that both spellings are equal (RFC 9309 section 2.2.2). */
function plainly(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, octet => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : octet;
  });
}

/** The programs whose rules count for us (RFC 9309 section 2.2.1). */
const ownNames: readonly string[] = [programName.toLowerCase(), '*'];

/**
 * Whether the page or a header asks programs not to store what they read: `noindex` or `none`, for all programs or for
 * this one. A header can put a program's name before its directives (`mailproof: noindex`).
 */
export function forbidsIndexing(directives: readonly string[]): boolean {
  return directives.some(directive => {
    const [, program, words = ''] = /^\s*(?:([\w-]+)\s*:(?!\/))?(.*)$/s.exec(directive.toLowerCase()) ?? [];
    const isForUs = program === undefined || program === programName.toLowerCase();
    return isForUs && words.split(',').some(word => ['noindex', 'none'].includes(word.trim()));
  });
}

/** Splits a header that was sent more than once, or for several programs, into each program's directives. */
export function robotsTags(header = ''): string[] {
  return header.split(/,(?=\s*[\w-]+\s*:)/);
}

/** Splits a `content-type` header into the lower-case media type and the charset, if it names one. */
export function readContentType(header = ''): { readonly type: string; readonly charset?: string } {
  const [, type = '', charset] = /^\s*([^;\s]+)(?:.*charset\s*=\s*"?([\w.:-]+))?/is.exec(header) ?? [];
  return { type: type.toLowerCase(), ...(charset !== undefined && { charset }) };
}

/**
 * Decodes a page as browsers do (WHATWG HTML, section 13.2.3): by its byte order mark, by the charset of its header, or
 * else by the one that it names in its first 1,024 octets. If none is known, the page is in UTF-8, or in windows-1252
 * if it is not valid UTF-8.
 */
export function decodePage(body: Uint8Array, charset = charsetNamedIn(body)): string {
  const decoder = decoderOf(markedCharset(body) ?? charset);
  if (decoder !== undefined) {
    return decoder.decode(body);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return new TextDecoder('windows-1252').decode(body);
  }
}

function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    return 'utf-8';
  }
  return first === 0xfe && second === 0xff
    ? 'utf-16be'
    : first === 0xff && second === 0xfe
      ? 'utf-16le'
      : undefined;
}

const namedWithin = 1_024;

function charsetNamedIn(body: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(body.subarray(0, namedWithin));
  const named = /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start)?.[1];
  // What was just read octet by octet is not in UTF-16.
  return named?.toLowerCase().startsWith('utf-16') ? 'utf-8' : named;
}

function decoderOf(charset: string | undefined) {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

const scriptCharactersMax = 262_144;

/** The content of a JSON-LD script. Many pages have broken ones, which are undefined; the others still count. */
export function readJsonLd(text: string): unknown {
  try {
    return text.length > scriptCharactersMax ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether an attribute `type` of a script says that it is JSON-LD. */
export function isJsonLdType(type = ''): boolean {
  return /^application\/ld\+json\s*(?:;|$)/i.test(type);
}
