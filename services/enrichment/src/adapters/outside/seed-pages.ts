import { randomUUID } from 'node:crypto';
import { type AccountId, limits, type RateLimiter } from '@mailproof/shared-types';
import { isParkedText } from '@mailproof/shared-types/parked-page';
import type { SeedPage } from '../../domain/lookalike-search/question.ts';
import type { ReadSeedPages } from '../../domain/lookalike-search/seed-pages.ts';
import { SourceFailure } from '../../domain/profile-enrichment/profile-source.ts';
import { parseProfileUrl } from '../../domain/profile-url/parse-profile-url.ts';
import { pageWords } from '../../domain/public-page/page-words.ts';
import { pageText } from './page-text.ts';
import { type PublicPageOptions, visitPage } from './visit-page.ts';

interface SeedPagesOptions {
  /** Undefined if the operator has not turned on reading public pages. */
  readonly pages: PublicPageOptions | undefined;
  readonly limiter: Pick<RateLimiter, 'admit'>;
  readonly now: () => Date;
}

/** The time for one website, with all that is tried, in milliseconds. */
const siteDeadlineMs = 10_000;
/** The websites that an account may have read in an hour, over all replicas. */
const sitesPerHourMax = 100;
const hourMs = 3_600_000;
/** The websites that a replica reads at the same time, for one account and for all. */
const atOnceOfAccountMax = limits.seedPagesMax;
const atOnceMax = 40;
/** Results are remembered in memory: words for an hour, failures for a minute. */
const wordsKeptMs = hourMs;
const failureKeptMs = 60_000;
const keptMax = 1_000;

/** Reads the first pages of companies' websites, within limits for each account and for all. */
export function createSeedPages(options: SeedPagesOptions): ReadSeedPages {
  const { now } = options;
  const pages = options.pages && withWholeSites(options.pages);
  const known = new Map<string, { readonly page: SeedPage; readonly untilMs: number }>();
  const running = new Map<AccountId, number>();
  let runningOfAll = 0;

  async function read(accountId: AccountId, domain: string): Promise<SeedPage> {
    if (pages === undefined) {
      return { unused: 'not_found' };
    }
    if (await pages.suppression.isSuppressed({ profileKey: domain })) {
      return { unused: 'page_forbidden' };
    }
    const kept = known.get(domain);
    if (kept && kept.untilMs > now().getTime()) {
      return kept.page;
    }
    const ofAccount = running.get(accountId) ?? 0;
    if (ofAccount >= atOnceOfAccountMax || runningOfAll >= atOnceMax) {
      return { unused: 'page_not_read' };
    }
    running.set(accountId, ofAccount + 1);
    runningOfAll += 1;
    try {
      const subject = `seed-pages:${accountId}`;
      // Without the limiter, the search works with its other seeds.
      const isAdmitted = await options.limiter
        .admit(subject, randomUUID(), sitesPerHourMax, hourMs)
        .then(({ admitted }) => admitted)
        .catch(() => false);
      if (!isAdmitted) {
        return { unused: 'page_not_read' };
      }
      const page = await readSite(pages, domain);
      if (known.size >= keptMax) {
        known.clear();
      }
      const keptMs = 'words' in page ? wordsKeptMs : failureKeptMs;
      known.set(domain, { page, untilMs: now().getTime() + keptMs });
      return page;
    } finally {
      runningOfAll -= 1;
      const left = (running.get(accountId) ?? 1) - 1;
      left > 0 ? running.set(accountId, left) : running.delete(accountId);
    }
  }

  return async (accountId, domains) =>
    new Map(await Promise.all(domains.map(async domain => [domain, await read(accountId, domain)] as const)));
}

/** Treats each page of a site as that of the person whose site it is, also after a redirect. */
function withWholeSites(pages: PublicPageOptions): PublicPageOptions {
  const { suppression } = pages;
  const isSuppressed: typeof suppression.isSuppressed = async person => {
    const [site] = person.profileKey?.split('/', 1) ?? [];
    return (
      (await suppression.isSuppressed(person)) ||
      (site !== undefined && (await suppression.isSuppressed({ profileKey: site })))
    );
  };
  return { ...pages, suppression: { isSuppressed } };
}

/** Reads `https://DOMAIN/`, or `https://www.DOMAIN/` if there is none. */
async function readSite(pages: PublicPageOptions, domain: string): Promise<SeedPage> {
  const signal = AbortSignal.timeout(siteDeadlineMs);
  for (const host of [domain, `www.${domain}`]) {
    const page = await readFirstPage(pages, host, domain, signal);
    if (page !== undefined) {
      return page;
    }
  }
  return { unused: 'page_unreachable' };
}

/** Returns undefined if there is no page. */
async function readFirstPage(
  pages: PublicPageOptions,
  host: string,
  domain: string,
  signal: AbortSignal,
): Promise<SeedPage | undefined> {
  const site = parseProfileUrl(`https://${domain}/`);
  try {
    const page = await visitPage(pages, new URL(`https://${host}/`), signal);
    if (page === 'missing' || site === undefined) {
      return undefined;
    }
    if (page === 'forbidden') {
      return { unused: 'page_forbidden' };
    }
    const text = await pageText(page.html);
    if (isParkedText(text)) {
      return { unused: 'page_parked' };
    }
    const words = pageWords(page.facts, text, site);
    return words === null ? { unused: 'too_little_text' } : { words };
  } catch (error) {
    if (error instanceof SourceFailure || signal.aborted) {
      return undefined;
    }
    throw error;
  }
}
