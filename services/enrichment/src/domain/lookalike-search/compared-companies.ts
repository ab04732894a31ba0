import type { CompanySize, CompanyType, Revenue } from '@mailproof/shared-types';
import type { CandidateFilter } from '../lookalike/lookalike-ranking.ts';
import type { CompanyRows } from './company-rows.ts';
import type { SearchQuestion } from './question.ts';

/** A question in the numbers of the store, as it stands now. */
export interface ComparedCompanies {
  readonly seeds: readonly number[];
  readonly unlike: readonly number[];
  readonly candidates: CandidateFilter & { readonly excludedCompanyNos: readonly number[] };
  /** The companies that the question names and the store holds, by their domains. */
  readonly named: ReadonlyMap<string, { readonly companyNo: number; readonly name: string }>;
}

/** Looks up which companies a question names. Those that the store does not hold are left out. */
export async function compareCompanies(
  companies: Pick<CompanyRows, 'byDomains'>,
  { seedDomains, unlikeDomains, filters }: SearchQuestion,
): Promise<ComparedCompanies> {
  const excludedDomains = filters.excluded_domains ?? [];
  const named = await companies.byDomains([...seedDomains, ...unlikeDomains, ...excludedDomains]);
  const numbersOf = (domains: readonly string[]) =>
    domains.flatMap(domain => named.get(domain)?.companyNo ?? []);
  return {
    seeds: numbersOf(seedDomains),
    unlike: numbersOf(unlikeDomains),
    candidates: {
      countries: filters.countries ?? [],
      industries: filters.industries ?? [],
      // Checked when the question was asked.
      companySizes: (filters.company_sizes ?? []) as CompanySize[],
      revenues: (filters.revenues ?? []) as Revenue[],
      companyTypes: (filters.company_types ?? []) as CompanyType[],
      excludedCompanyNos: numbersOf(excludedDomains),
    },
    named,
  };
}
