import { type Outside, type OutsideAnswer, OutsideFault } from '@mailproof/service-kit';
import {
  decodePage,
  forbidsIndexing,
  isJsonLdType,
  readContentType,
  readJsonLd,
  robotsTags,
} from '@mailproof/service-kit/public-pages';
import type { EnrichedField, EnrichedProfile, FieldProvenance } from '@mailproof/shared-types';
import { Parser } from 'htmlparser2';
import type { SuppressionCheck } from '../../domain/privacy/subjects.ts';
import {
  type ProfileSource,
  type SourceAnswer,
  SourceFailure,
} from '../../domain/profile-enrichment/profile-source.ts';
import { type ProfileUrl, parseProfileUrl } from '../../domain/profile-url/parse-profile-url.ts';
import { isDeniedHost, type PageFacts } from '../../domain/public-page/forbidden-pages.ts';
import { namedProfiles, readProfilePage } from '../../domain/public-page/read-profile-page.ts';

/** What robots.txt says about a page; `unknown` if it could not be read. */
export type PageAccess = 'allowed' | 'forbidden' | 'unknown';

interface PublicPageOptions {
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

const failed = (reason: string) => new SourceFailure(reason, 'The profile’s public page could not be read.');

/** Whether the profile's public page may be requested at all. */
export function isPageAskable({ profileUrl }: ProfileUrl, deniedHosts: readonly string[]): boolean {
  const url = new URL(profileUrl);
  return (
    !isDeniedHost(url.hostname, deniedHosts) &&
    url.port === '' &&
    url.pathname.length + url.search.length <= pathCharactersMax
  );
}

/** Uses public pages as a source: with a named user agent, where robots.txt, page and operator allow it. */
export function createPublicPageSource(options: PublicPageOptions): ProfileSource {
  return {
    name: 'page',
    async find({ profile, signal }) {
      const answeredAt = options.now();
      const page = isPageAskable(profile, options.deniedHosts)
        ? await readPage(options, profile, signal)
        : undefined;
      return page === undefined ? { outcome: 'notFound', answeredAt } : answerOf(page, answeredAt);
    },
  };
}

interface PageAnswer {
  readonly profile: EnrichedProfile;
  /** Profiles of the same person, according to the page. */
  readonly sameAs: readonly string[];
}

/** Fetches the page and follows redirects, each of which is checked like the first URL. */
async function readPage(
  options: PublicPageOptions,
  profile: ProfileUrl,
  signal: AbortSignal,
): Promise<(PageAnswer & { readonly url: URL }) | undefined> {
  let url: URL | null = new URL(profile.profileUrl);
  for (let redirects = 0; url !== null && redirects <= redirectsMax; redirects += 1) {
    if (!(await mayVisit(options, url, signal))) {
      return undefined;
    }
    const answer = await visit(options, url, signal);
    if (answer.status < 300 || answer.status > 399) {
      const found = judge(answer, profile);
      return found && { ...found, url };
    }
    url = URL.parse(answer.headers['location'] ?? '', url.href);
  }
  return undefined;
}

async function mayVisit(options: PublicPageOptions, url: URL, signal: AbortSignal): Promise<boolean> {
  const { deniedHosts, robots, suppression } = options;
  if (
    isDeniedHost(url.hostname, deniedHosts) ||
    url.pathname.length + url.search.length > pathCharactersMax
  ) {
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

/** A page that is gone, not public or not HTML has no answer; an unhealthy host may answer later. */
function judge({ status, headers, body }: OutsideAnswer, profile: ProfileUrl): PageAnswer | undefined {
  if (status >= 500 || status === 429) {
    throw failed('unexpected_status');
  }
  const { type, charset } = readContentType(headers['content-type']);
  const isPage = status === 200 && ['text/html', 'application/xhtml+xml'].includes(type);
  if (!isPage || forbidsIndexing(robotsTags(headers['x-robots-tag']))) {
    return undefined;
  }
  const facts = parsePage(decodePage(body, charset));
  if (forbidsIndexing(facts.robots)) {
    return undefined;
  }
  const said = readProfilePage(facts, profile);
  return said && { profile: said, sameAs: namedProfiles(facts) };
}

function answerOf(
  { profile, sameAs, url }: PageAnswer & { readonly url: URL },
  answeredAt: Date,
): SourceAnswer {
  const origin: FieldProvenance = {
    source: `${url.origin}${url.pathname}`,
    kind: 'page',
    licence: 'public page; its publisher’s terms apply',
    date: answeredAt.toISOString().slice(0, 10),
  };
  const fields = Object.keys(profile) as EnrichedField[];
  return {
    outcome: 'found',
    profile,
    sameAs,
    provenance: Object.fromEntries(fields.map(field => [field, origin])),
    answeredAt,
  };
}

const scriptsMax = 20;
const metaMax = 200;
const metaCharactersMax = 4_096;

/** Reads the machine-readable content of a page. Stores no text and runs no script. */
export function parsePage(html: string): PageFacts {
  const jsonLd: unknown[] = [];
  const meta = new Map<string, string>();
  const robots: string[] = [];
  let script: string[] | undefined;
  const parser = new Parser({
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
  });
  parser.end(html);
  return { jsonLd, meta, robots };
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
