import { type Outside, type OutsideAnswer, OutsideFault } from '@mailproof/service-kit';
import type { EnrichedField, EnrichedProfile, FieldProvenance } from '@mailproof/shared-types';
import type { SuppressionCheck } from '../../domain/privacy/suppression.ts';
import {
  type ProfileSource,
  type SourceAnswer,
  SourceFailure,
} from '../../domain/profile-enrichment/profile-source.ts';
import { type ProfileUrl, parseProfileUrl } from '../../domain/profile-url/parse-profile-url.ts';
import { isDeniedHost } from '../../domain/public-page/denied-hosts.ts';
import { forbidsIndexing } from '../../domain/public-page/page-facts.ts';
import { namedProfiles, readProfilePage } from '../../domain/public-page/read-profile-page.ts';
import { parsePage } from './parse-page.ts';

/** What robots.txt says of a page; `unknown` where it could not be read. */
export type PageAccess = 'allowed' | 'forbidden' | 'unknown';

export interface PublicPageOptions {
  readonly outside: Outside;
  readonly robots: (url: URL, signal: AbortSignal) => Promise<PageAccess>;
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
  /** Waits until the host may be asked again. */
  readonly awaitTurn: (subject: string, perSecond: number, signal: AbortSignal) => Promise<void>;
  readonly deniedHosts: readonly string[];
  readonly userAgent: string;
  readonly programName: string;
  readonly now: () => Date;
}

const redirectsMax = 3;
const pageBytesMax = 2_000_000;
const pageDeadlineMs = 8_000;
/** Pages of one host that are asked for in a second. */
const pagesPerSecondMax = 1;
/** Matching a path against the rules of a robots.txt costs time with its length. */
const pathCharactersMax = 512;

const failed = (reason: string) => new SourceFailure(reason, 'The profile’s public page could not be read.');

/** Whether the profile's public page may be asked for at all. */
export function isPageAskable({ profileUrl }: ProfileUrl, deniedHosts: readonly string[]): boolean {
  const url = new URL(profileUrl);
  return (
    !isDeniedHost(url.hostname, deniedHosts) &&
    url.port === '' &&
    url.pathname.length + url.search.length <= pathCharactersMax
  );
}

/** Public pages as a source: as a named visitor, where robots.txt, page and operator allow it. */
export function createPublicPageSource(options: PublicPageOptions): ProfileSource {
  return {
    name: 'page',
    async find({ profile, signal }) {
      const saidAt = options.now();
      const page = isPageAskable(profile, options.deniedHosts)
        ? await readPage(options, profile, signal)
        : undefined;
      return page === undefined ? { outcome: 'notFound', saidAt } : answerOf(page, saidAt);
    },
  };
}

interface PageAnswer {
  readonly profile: EnrichedProfile;
  /** What the page says to be profiles of the same person. */
  readonly sameAs: readonly string[];
}

/** Goes to the page, over redirects, each of which is checked as the first address was. */
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
      const found = judge(options, answer, profile);
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
  // A redirect can lead to the profile of somebody else.
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

/** What is gone, not public or no page says nothing; a host that is not well may say more later. */
function judge(
  { programName }: PublicPageOptions,
  { status, headers, body }: OutsideAnswer,
  profile: ProfileUrl,
): PageAnswer | undefined {
  if (status >= 500 || status === 429) {
    throw failed('unexpected_status');
  }
  const [, type = '', charset] =
    /^\s*([^;\s]+)(?:.*charset\s*=\s*"?([\w.:-]+))?/is.exec(headers['content-type'] ?? '') ?? [];
  const isPage = status === 200 && ['text/html', 'application/xhtml+xml'].includes(type.toLowerCase());
  if (!isPage || forbidsIndexing(robotsTags(headers['x-robots-tag']), programName)) {
    return undefined;
  }
  const facts = parsePage(decode(body, charset));
  if (forbidsIndexing(facts.robots, programName)) {
    return undefined;
  }
  const said = readProfilePage(facts, profile);
  return said && { profile: said, sameAs: namedProfiles(facts) };
}

/** Each program's words of a header that was sent more than once, or for several programs. */
function robotsTags(header = ''): string[] {
  return header.split(/,(?=\s*[\w-]+\s*:)/);
}

function decode(body: Uint8Array, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function answerOf({ profile, sameAs, url }: PageAnswer & { readonly url: URL }, saidAt: Date): SourceAnswer {
  const origin: FieldProvenance = {
    source: `${url.origin}${url.pathname}`,
    kind: 'page',
    licence: 'public page; its publisher’s terms apply',
    date: saidAt.toISOString().slice(0, 10),
  };
  const fields = Object.keys(profile) as EnrichedField[];
  return {
    outcome: 'found',
    profile,
    sameAs,
    provenance: Object.fromEntries(fields.map(field => [field, origin])),
    saidAt,
  };
}
