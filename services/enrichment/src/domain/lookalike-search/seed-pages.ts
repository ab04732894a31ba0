import { type AccountId, isSandboxAccount, limits, sandboxDomain, seedUses } from '@mailproof/shared-types';
import type { CompanyRows } from './company-rows.ts';
import { namedCompanies } from './lookalike-company.ts';
import type { SearchQuestion, SeedPage } from './question.ts';

/** Reads the websites of companies. Every domain gets a result within a deadline. */
export type ReadSeedPages = (
  accountId: AccountId,
  domains: readonly string[],
) => Promise<ReadonlyMap<string, SeedPage>>;

interface SeedPagePorts {
  readonly companies: Pick<CompanyRows, 'byDomains'>;
  readonly readSeedPages: ReadSeedPages;
}

/**
 * Adds what the websites say of the seeds that are not in the store. What the search before has read is kept, so that
 * its matches stay the same while it changes; failures are tried again.
 */
export async function withSeedPages(
  { companies, readSeedPages }: SeedPagePorts,
  accountId: AccountId,
  question: SearchQuestion,
  before?: SearchQuestion,
): Promise<SearchQuestion> {
  if (isSandboxAccount(accountId)) {
    return { ...question, seedPages: simulatedPages(question.seedDomains) };
  }
  const named = await namedCompanies(companies, accountId, question.seedDomains);
  const missing = question.seedDomains.filter(domain => !named.has(domain));
  const pages: Record<string, SeedPage> = {};
  const unread: string[] = [];
  for (const domain of missing) {
    const kept = before?.seedPages[domain];
    if (kept && 'words' in kept) {
      pages[domain] = kept;
    } else {
      unread.push(domain);
    }
  }
  const room = Math.max(0, limits.seedPagesMax - Object.keys(pages).length);
  const read = await readSeedPages(accountId, unread.slice(0, room));
  for (const domain of unread) {
    pages[domain] = read.get(domain) ?? { unused: 'page_not_read' };
  }
  return { ...question, seedPages: pages };
}

/** In the sandbox, the domain says how its website is used: `page-parked.sandbox.mailproof.test`. */
function simulatedPages(domains: readonly string[]): Record<string, SeedPage> {
  const pages: Record<string, SeedPage> = {};
  for (const domain of domains) {
    const label = domain.endsWith(`.${sandboxDomain}`) ? domain.slice(0, -sandboxDomain.length - 1) : '';
    const use = seedUses.find(each => each !== 'used' && each.replaceAll('_', '-') === label);
    if (use !== undefined && use !== 'used') {
      pages[domain] = { unused: use };
    }
  }
  return pages;
}
