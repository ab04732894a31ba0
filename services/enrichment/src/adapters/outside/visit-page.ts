import { setImmediate } from 'node:timers/promises';
import { type Outside, type OutsideAnswer, OutsideFault } from '@mailproof/service-kit';
import {
  decodePage,
  forbidsIndexing,
  isJsonLdType,
  readContentType,
  readJsonLd,
  robotsTags,
} from '@mailproof/service-kit/public-pages';
import type { Handler } from 'htmlparser2';
import type { SuppressionCheck } from '../../domain/privacy/subjects.ts';
import { SourceFailure } from '../../domain/profile-enrichment/profile-source.ts';
import { parseProfileUrl } from '../../domain/profile-url/parse-profile-url.ts';
import { isDeniedHost, type PageFacts } from '../../domain/public-page/forbidden-pages.ts';

/** What robots.txt says about a page; `unknown` if it could not be read. */
export type PageAccess = 'allowed' | 'forbidden' | 'unknown';

/** What reading public pages needs. */
export interface PublicPageOptions {
  readonly outside: Outside;
  readonly robots: (url: URL, signal: AbortSignal) => Promise<PageAccess>;
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
  /** Waits until the host may be queried again. */
  readonly awaitTurn: (subject: string, perSecond: number, signal: AbortSignal) => Promise<void>;
  readonly deniedHosts: readonly string[];
  readonly userAgent: string;
  readonly now: () => Date;
}

const redirectsMax = 3;
const pageBytesMax = 2_000_000;
const pageDeadlineMs = 8_000;
/** The maximum number of requests to one host per second. */
const pagesPerSecondMax = 1;
/** Matching a path against the rules of robots.txt takes time proportional to its length. */
const pathCharactersMax = 512;

/** A page that was read. */
export interface VisitedPage {
  readonly url: URL;
  readonly html: string;
  readonly facts: PageFacts;
}

/** Why there is no page: it must not be read, or the host has none. */
export type NoPage = 'forbidden' | 'missing';

const failed = (reason: string) => new SourceFailure(reason, 'The public page could not be read.');

/** Whether a page may be requested at all. */
export function isUrlAskable(url: URL, deniedHosts: readonly string[]): boolean {
  return (
    !isDeniedHost(url.hostname, deniedHosts) && url.pathname.length + url.search.length <= pathCharactersMax
  );
}

/**
 * Fetches a page and follows redirects, each of which is checked like the first URL.
 *
 * @throws SourceFailure if the host fails; it may answer later
 */
export async function visitPage(
  options: PublicPageOptions,
  first: URL,
  signal: AbortSignal,
): Promise<VisitedPage | NoPage> {
  let url: URL | null = first;
  for (let redirects = 0; url !== null && redirects <= redirectsMax; redirects += 1) {
    if (!(await mayVisit(options, url, signal))) {
      return 'forbidden';
    }
    const answer = await visit(options, url, signal);
    if (answer.status < 300 || answer.status > 399) {
      const page = await judge(answer);
      return typeof page === 'string' ? page : { ...page, url };
    }
    url = URL.parse(answer.headers['location'] ?? '', url.href);
    if (url !== null && !/^https?:$/.test(url.protocol)) {
      // Such as `mailto:`, which has no origin whose robots.txt could be read.
      throw failed('unexpected_redirect');
    }
  }
  return 'missing';
}

async function mayVisit(options: PublicPageOptions, url: URL, signal: AbortSignal): Promise<boolean> {
  const { deniedHosts, robots, suppression } = options;
  if (!isUrlAskable(url, deniedHosts)) {
    return false;
  }
  const profileKey = parseProfileUrl(url.href)?.profileKey;
  // A redirect can lead to the profile of another person.
  if (profileKey !== undefined && (await suppression.isSuppressed({ profileKey }))) {
    return false;
  }
  const access = await robots(url, signal).catch(error => {
    throw error instanceof OutsideFault ? failed(error.kind) : error;
  });
  if (access === 'unknown') {
    throw failed('robots_unknown');
  }
  return access === 'allowed';
}

async function visit(
  { outside, awaitTurn, userAgent }: PublicPageOptions,
  url: URL,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  try {
    await awaitTurn(`page:${url.hostname}`, pagesPerSecondMax, signal);
    return await outside.request({
      url,
      headers: {
        'user-agent': userAgent,
        accept: 'text/html, application/xhtml+xml',
        'accept-language': 'en',
      },
      deadlineMs: pageDeadlineMs,
      bytesMax: pageBytesMax,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw failed(error instanceof OutsideFault ? error.kind : 'internal');
  }
}

/** A page that is gone or not HTML has no answer; an unhealthy host may answer later. */
async function judge({ status, headers, body }: OutsideAnswer): Promise<Omit<VisitedPage, 'url'> | NoPage> {
  if (status >= 500 || status === 429) {
    throw failed('unexpected_status');
  }
  const { type, charset } = readContentType(headers['content-type']);
  if (status !== 200 || !['text/html', 'application/xhtml+xml'].includes(type)) {
    return 'missing';
  }
  if (forbidsIndexing(robotsTags(headers['x-robots-tag']))) {
    return 'forbidden';
  }
  const html = decodePage(body, charset);
  const facts = await parsePage(html);
  if (facts === undefined) {
    return 'missing';
  }
  return forbidsIndexing(facts.robots) ? 'forbidden' : { html, facts };
}

/** Deeper than pages nest; the parser's time grows with the square of the depth. */
const depthMax = 500;
/** The parser's own time for a page, in milliseconds; ordinary pages take ten. */
const parseMsMax = 500;
const partCharacters = 16_384;

/**
 * Parses a page in parts, so that other work has its turn, until its end or until `isDone`. Returns false if its elements
 * are nested too deeply, or if it takes too long.
 */
export async function parseInParts(
  handler: Partial<Handler>,
  html: string,
  isDone: () => boolean = () => false,
): Promise<boolean> {
  let depth = 0;
  let isTooDeep = false;
  // Loaded with the first page: it takes 2 MB.
  const { Parser } = await import('htmlparser2');
  const parser = new Parser({
    ...handler,
    onopentag(...tag) {
      depth += 1;
      isTooDeep ||= depth > depthMax;
      handler.onopentag?.(...tag);
    },
    onclosetag(...tag) {
      depth -= 1;
      handler.onclosetag?.(...tag);
    },
  });
  let spentMs = 0;
  for (let start = 0; start < html.length && !isDone(); start += partCharacters) {
    const startedAtMs = performance.now();
    parser.write(html.slice(start, start + partCharacters));
    spentMs += performance.now() - startedAtMs;
    if (isTooDeep || spentMs > parseMsMax) {
      return false;
    }
    await setImmediate();
  }
  parser.end();
  return true;
}

const scriptsMax = 20;
const metaMax = 200;
const metaCharactersMax = 4_096;

/**
 * Reads the machine-readable content of a page. Stores no text and runs no script. Undefined if the page cannot be parsed
 * within limits.
 */
export async function parsePage(html: string): Promise<PageFacts | undefined> {
  const jsonLd: unknown[] = [];
  const meta = new Map<string, string>();
  const robots: string[] = [];
  let script: string[] | undefined;
  const handler: Partial<Handler> = {
    onopentag(name, attributes) {
      if (name === 'script' && isJsonLdType(attributes['type'])) {
        script = [];
      } else if (name === 'meta') {
        noteMeta(attributes, meta, robots);
      }
    },
    ontext(text) {
      script?.push(text);
    },
    onclosetag(name) {
      if (name === 'script' && script !== undefined) {
        const content = readJsonLd(script.join(''));
        if (content !== undefined && jsonLd.length < scriptsMax) {
          jsonLd.push(content);
        }
        script = undefined;
      }
    },
  };
  return (await parseInParts(handler, html)) ? { jsonLd, meta, robots } : undefined;
}

function noteMeta(
  attributes: Readonly<Record<string, string>>,
  meta: Map<string, string>,
  robots: string[],
): void {
  const name = (attributes['property'] ?? attributes['name'] ?? '').trim().toLowerCase();
  const content = attributes['content']?.slice(0, metaCharactersMax);
  if (name === '' || content === undefined || meta.size >= metaMax) {
    return;
  }
  if (name === 'robots') {
    robots.push(content.toLowerCase());
  } else if (name === 'mailproof') {
    robots.push(`mailproof: ${content.toLowerCase()}`);
  }
  if (!meta.has(name)) {
    meta.set(name, content);
  }
}
