import {
  type AccountId,
  type DiscoverySearchId,
  type ExpectedCoverage,
  isSandboxAccount,
  type LookalikeCompany,
  limits,
  type NamedCompany,
  prices,
} from '@mailproof/shared-types';
import {
  type LookalikeAnswer,
  LookalikeFault,
  matchesMax,
  type RankingOfAccount,
} from '../lookalike/lookalike-ranking.ts';
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

/** More than are shown, so that the preview is full even if some are gone from the store. */
const readMax = 2 * limits.lookalikePreviewMax;

export interface LookPorts {
  readonly rankingOf: RankingOfAccount;
  readonly companies: CompanyRows;
}

/** The free preview of a search. */
export interface Look {
  readonly seeds: readonly NamedCompany[];
  readonly unlike: readonly NamedCompany[];
  readonly preview: readonly LookalikeCompany[];
  readonly expected: ExpectedCoverage;
}

/** None of the seeds can be compared. */
export class SeedsFault extends Error {
  override readonly name = 'SeedsFault';
  readonly seeds: readonly NamedCompany[];

  constructor(seeds: readonly NamedCompany[]) {
    super('No seed can be compared.');
    this.seeds = seeds;
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
    ...namedIn(question, compared, answer.unusable),
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
  { named, ...compared }: ComparedCompanies,
  excluded: readonly number[],
): Promise<LookalikeAnswer> {
  const unusable = (companyNos: readonly number[]) =>
    new SeedsFault(namedIn(question, { ...compared, named }, companyNos).seeds);
  if (compared.seeds.length === 0) {
    throw unusable([]);
  }
  const { candidates } = compared;
  try {
    return await ranking.rank({
      ...compared,
      candidates: { ...candidates, excludedCompanyNos: [...candidates.excludedCompanyNos, ...excluded] },
      limit: matchesMax,
      explain: readMax,
    });
  } catch (error) {
    throw error instanceof LookalikeFault && error.code === 'no_usable_seed'
      ? unusable(compared.seeds)
      : error;
  }
}

/** Returns the status of each company that the question names. */
export function namedIn(
  { seedDomains, unlikeDomains }: SearchQuestion,
  { named }: Pick<ComparedCompanies, 'named'>,
  unusable: readonly number[],
): { readonly seeds: NamedCompany[]; readonly unlike: NamedCompany[] } {
  const companyOf = (domain: string): NamedCompany => {
    const company = named.get(domain);
    if (!company) {
      return { domain, name: null, use: 'not_found' };
    }
    const use = unusable.includes(company.companyNo) ? 'too_little_text' : 'used';
    return { domain, name: company.name, use };
  };
  return { seeds: seedDomains.map(companyOf), unlike: unlikeDomains.map(companyOf) };
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
