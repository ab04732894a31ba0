import {
  type AccountId,
  type DiscoverySearchId,
  type ExpectedCoverage,
  isSandboxAccount,
  type LookalikeCompany,
  limits,
  type NamedCompany,
  prices,
  type SeedUse,
} from '@mailproof/shared-types';
import { type LookalikeAnswer, matchesMax, type RankingOfAccount } from '../lookalike/lookalike-ranking.ts';
import { simulateErrorOf } from '../sandbox/simulated-errors.ts';
import type { CompanyRows, CountedRun } from './company-rows.ts';
import {
  type ComparedCompanies,
  companiesOfLists,
  compareCompanies,
  lookalikeCompanyOf,
  shownStrength,
} from './lookalike-company.ts';
import type { SearchQuestion } from './question.ts';
import { seedDetail, seedTextDetail, unlikeDetail } from './seed-details.ts';

/** More than are shown, so that the preview is full even if some are gone from the store. */
const readMax = 2 * limits.lookalikePreviewMax;

export interface LookPorts {
  readonly rankingOf: RankingOfAccount;
  readonly companies: CompanyRows;
}

/** The free preview of a search. */
export interface Look {
  readonly seeds: readonly NamedCompany[];
  readonly seedTextFault: string | null;
  readonly unlike: readonly NamedCompany[];
  readonly preview: readonly LookalikeCompany[];
  readonly expected: ExpectedCoverage;
}

/** The status of everything that a question names. */
export type NamedSeeds = Pick<Look, 'seeds' | 'seedTextFault' | 'unlike'>;

/** None of the seeds can be compared. */
export class SeedsFault extends Error {
  override readonly name = 'SeedsFault';
  readonly named: NamedSeeds;

  constructor(named: NamedSeeds) {
    super('No seed can be compared.');
    this.named = named;
  }
}

/**
 * Ranks the store for a question and counts what a run would deliver. `searchId` is absent before the search exists.
 *
 * @throws SeedsFault
 * @throws UnknownFilterValues for a list that the account does not have
 * @throws LookalikeFault while no ranking is ready
 * @throws SimulatedError for a seed of the sandbox that asks for an error
 */
export async function look(
  { rankingOf, companies }: LookPorts,
  accountId: AccountId,
  question: SearchQuestion,
  searchId?: DiscoverySearchId,
): Promise<Look> {
  const isSandbox = isSandboxAccount(accountId);
  if (isSandbox) simulateErrorOf(question.seedDomains, 'free_search');
  const compared = await compareCompanies(companies, accountId, question);
  const unlisted = await companiesOfLists(companies, accountId, question.filters);
  const excluded = [...unlisted, ...(searchId ? await companies.deliveredNos(searchId) : [])];
  const answer = await rank(rankingOf(accountId), question, compared, excluded);
  const companyNos = answer.matches.map(({ companyNo }) => companyNo);
  const matchOf = new Map(answer.matches.slice(0, readMax).map(match => [match.companyNo, match]));
  const price = isSandbox ? 0 : prices.lookalikeCompany;
  const sizes = [...limits.companiesPerRunPresets, limits.companiesPerRunMax];
  const [rows, counted] = await Promise.all([
    companies.read(accountId, companyNos.slice(0, readMax)),
    companies.count(accountId, companyNos, sizes),
  ]);
  return {
    ...namedIn(question, compared, answer),
    preview: rows.slice(0, limits.lookalikePreviewMax).flatMap(row => {
      const match = matchOf.get(row.companyNo);
      return match ? [lookalikeCompanyOf(row, match)] : [];
    }),
    expected: {
      matches: answer.total,
      by_match_strength: answer.expected.map(({ strengthFrom, candidates }) => ({
        match_strength_from: strengthFrom,
        companies: candidates,
      })),
      credits_per_company: price,
      offers: offersOf(answer, counted, price),
    },
  };
}

async function rank(
  ranking: ReturnType<RankingOfAccount>,
  question: SearchQuestion,
  compared: ComparedCompanies,
  excluded: readonly number[],
): Promise<LookalikeAnswer> {
  const { seeds, described, unlike, candidates } = compared;
  if (seeds.length + described.length === 0) {
    throw new SeedsFault(namedIn(question, compared));
  }
  const answer = await ranking.rank({
    seeds,
    described,
    unlike,
    candidates: { ...candidates, excludedCompanyNos: [...candidates.excludedCompanyNos, ...excluded] },
    limit: matchesMax,
    explain: readMax,
  });
  const isUsed =
    seeds.some(companyNo => !answer.unusable.has(companyNo)) || answer.unusableDescribed.includes(null);
  if (!isUsed) {
    throw new SeedsFault(namedIn(question, compared, answer));
  }
  return answer;
}

/** Returns the status of each company that the question names, and of its text; without an answer, as far as known. */
export function namedIn(
  { seedDomains, seedPages, unlikeDomains }: SearchQuestion,
  { named, describedAs }: Pick<ComparedCompanies, 'named' | 'describedAs'>,
  answer?: Pick<LookalikeAnswer, 'unusable' | 'unusableDescribed' | 'nextModelMs'>,
): NamedSeeds {
  const describedUse = (described: string | null): SeedUse =>
    answer?.unusableDescribed[describedAs.indexOf(described)] ?? 'used';
  const companyOf = (
    domain: string,
    pages: SearchQuestion['seedPages'],
    detailOf: typeof seedDetail,
  ): NamedCompany => {
    const company = named.get(domain);
    const page = pages[domain];
    const use = company
      ? (answer?.unusable.get(company.companyNo) ?? 'used')
      : page && 'words' in page
        ? describedUse(domain)
        : (page?.unused ?? 'not_found');
    const state = { use, isKnown: company !== undefined, nextModelMs: answer?.nextModelMs ?? null };
    return { domain, name: company?.name ?? null, use, detail: detailOf(domain, state) };
  };
  return {
    seeds: seedDomains.map(domain => companyOf(domain, seedPages, seedDetail)),
    seedTextFault: seedTextDetail(describedUse(null)),
    unlike: unlikeDomains.map(domain => companyOf(domain, {}, unlikeDetail)),
  };
}

/** Returns an offer for each preset smaller than the total, and one for all; none if nothing would be delivered. */
function offersOf(
  { matches }: LookalikeAnswer,
  counted: readonly CountedRun[],
  price: number,
): ExpectedCoverage['offers'] {
  const all = counted.at(-1);
  return counted.flatMap(({ companies, alreadyPaid, filled }, index) => {
    const kind = index === counted.length - 1 ? 'all' : 'preset';
    const delivered = companies + alreadyPaid;
    if (delivered === 0 || (kind === 'preset' && companies === all?.companies)) {
      return [];
    }
    const share = (count: number) => Math.round((count / delivered) * 1_000) / 1_000;
    return {
      kind,
      companies,
      already_paid: alreadyPaid,
      credits_max: companies * price,
      weakest_match_strength: shownStrength(matches[delivered - 1]?.strength ?? 0),
      fill_rate: {
        location: share(filled.location),
        employee_count: share(filled.employeeCount),
        revenue: share(filled.revenue),
        funding: share(filled.funding),
        categories: share(filled.categories),
        links: share(filled.links),
      },
    };
  });
}
