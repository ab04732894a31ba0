import {
  type AccountId,
  type CompanySize,
  type CompanyType,
  isSandboxAccount,
  type LookalikeCompany,
  type MatchingFacetName,
  type PaidCompany,
  type PreviewedCompany,
  previewedFacets,
  type Revenue,
} from '@mailproof/shared-types';
import { wordsOfText } from '../lookalike/company-text.ts';
import type { CandidateFilter, MatchReasons, SeedWords } from '../lookalike/lookalike-ranking.ts';
import { UnknownFilterValues } from '../people-search/people-index.ts';
import { unknownLists } from '../people-search/saved-lists.ts';
import { isSandboxCompany } from '../sandbox/sandbox-records.ts';
import type { CompanyRow, CompanyRows } from './company-rows.ts';
import type { SearchQuestion } from './question.ts';

/** The ranking's result for a company. */
interface Match {
  readonly strength: number;
  readonly reasons: MatchReasons | null;
}

/** A company as visible to the account: with paid fields only if it has paid. */
export function lookalikeCompanyOf(row: CompanyRow, match: Match): LookalikeCompany {
  return row.isPaid ? paidCompanyOf(row, match) : previewedCompanyOf(row, match);
}

export function paidCompanyOf(row: CompanyRow, match: Match): PaidCompany {
  const { country, region, city } = row;
  return {
    ...seenByAll(row, match),
    paid: true,
    reasons: {
      shared_terms: [...(match.reasons?.sharedTerms ?? [])],
      matching_facets: [...(match.reasons?.matchingFacets ?? [])],
    },
    location: country === null && region === null && city === null ? null : { country, region, city },
    employee_count:
      row.employeeCount === null && row.companySize === null
        ? null
        : { exact: row.employeeCount, band: row.companySize },
    revenue:
      row.annualRevenueUsd === null && row.revenue === null
        ? null
        : { usd: row.annualRevenueUsd, band: row.revenue },
    funding: row.fundingUsd === null ? null : { usd: row.fundingUsd },
    categories: [...row.categories],
    links: { website: row.website, profile: row.profileUrl },
  };
}

function previewedCompanyOf(row: CompanyRow, match: Match): PreviewedCompany {
  return {
    ...seenByAll(row, match),
    paid: false,
    reasons: {
      shared_terms: [...(match.reasons?.sharedTerms ?? [])],
      matching_facets: (match.reasons?.matchingFacets ?? []).flatMap(({ facet, value }) =>
        isPreviewed(facet) ? [{ facet, value }] : [],
      ),
    },
  };
}

function seenByAll(row: CompanyRow, { strength }: Match) {
  return {
    company_id: row.companyId,
    company: { name: row.name, domain: row.domain },
    match_strength: shownStrength(strength),
    industry: row.industry,
    website: row.website,
    description: row.description,
    keywords: [...row.keywords],
    is_synthetic: row.isSynthetic,
  };
}

/** Rounds to three digits: more would exceed the precision of the calibration. */
export function shownStrength(strength: number): number {
  return Math.round(strength * 1_000) / 1_000;
}

function isPreviewed(facet: MatchingFacetName): facet is (typeof previewedFacets)[number] {
  return (previewedFacets as readonly string[]).includes(facet);
}

/** A question as company numbers, in the current state of the store. */
export interface ComparedCompanies {
  readonly seeds: readonly number[];
  /** The websites of seeds that are not in the store, and the text. */
  readonly described: readonly SeedWords[];
  readonly unlike: readonly number[];
  readonly candidates: CandidateFilter & { readonly excludedCompanyNos: readonly number[] };
  /** The companies that the question names and the store holds, by domain. */
  readonly named: NamedByDomain;
  /** What each of `described` describes: a domain, or null for the text. */
  readonly describedAs: readonly (string | null)[];
}

type NamedByDomain = ReadonlyMap<string, { readonly companyNo: number; readonly name: string }>;

/**
 * Returns the companies of the lists that a question excludes, in their current state.
 *
 * @throws UnknownFilterValues for a list that the account does not have: ignored, it would exclude no one
 */
export async function companiesOfLists(
  companies: Pick<CompanyRows, 'listedNos'>,
  accountId: AccountId,
  { excluded_saved_lists: lists = [] }: SearchQuestion['filters'],
): Promise<number[]> {
  if (lists.length === 0) {
    return [];
  }
  const listed = await companies.listedNos(accountId, lists);
  const unknown = unknownLists('excluded_saved_lists', lists, listed);
  if (unknown.length > 0) {
    throw new UnknownFilterValues(unknown);
  }
  return [...new Set(lists.flatMap(list => listed.get(list) ?? []))];
}

/**
 * Looks up companies by domain. Omits those that the store does not hold: for a test key, all but those of the sandbox,
 * and for others, these.
 */
export async function namedCompanies(
  companies: Pick<CompanyRows, 'byDomains'>,
  accountId: AccountId,
  domains: readonly string[],
): Promise<NamedByDomain> {
  const found = await companies.byDomains(domains);
  const isSandbox = isSandboxAccount(accountId);
  return new Map([...found].filter(([, { companyNo }]) => isSandboxCompany(companyNo) === isSandbox));
}

/** Looks up what a question names, in the current state of the store. */
export async function compareCompanies(
  companies: Pick<CompanyRows, 'byDomains'>,
  accountId: AccountId,
  { seedDomains, seedText, seedPages, unlikeDomains, filters }: SearchQuestion,
): Promise<ComparedCompanies> {
  const excludedDomains = filters.excluded_domains ?? [];
  const domains = [...seedDomains, ...unlikeDomains, ...excludedDomains];
  const named = await namedCompanies(companies, accountId, domains);
  const described: (readonly [string | null, SeedWords])[] = seedDomains.flatMap(domain => {
    const page = named.has(domain) ? undefined : seedPages[domain];
    return page && 'words' in page ? [[domain, page.words] as const] : [];
  });
  if (seedText !== null) {
    described.push([null, wordsOfText({ name: '', description: seedText, keywords: [] })]);
  }
  const numbersOf = (domains: readonly string[]) =>
    domains.flatMap(domain => named.get(domain)?.companyNo ?? []);
  return {
    seeds: numbersOf(seedDomains),
    described: described.map(([, words]) => words),
    describedAs: described.map(([domain]) => domain),
    unlike: numbersOf(unlikeDomains),
    candidates: {
      countries: filters.countries ?? [],
      industries: filters.industries ?? [],
      // Checked when the question was created.
      companySizes: (filters.company_sizes ?? []) as CompanySize[],
      revenues: (filters.revenues ?? []) as Revenue[],
      companyTypes: (filters.company_types ?? []) as CompanyType[],
      excludedCompanyNos: numbersOf(excludedDomains),
    },
    named,
  };
}
