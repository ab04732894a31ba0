import { wordsOfText } from '../lookalike/company-text.ts';
import {
  type LookalikeAnswer,
  type LookalikeMatch,
  type LookalikeQuestion,
  type LookalikeRanking,
  type MatchingFacet,
  type SeedWords,
  strengthSteps,
} from '../lookalike/lookalike-ranking.ts';
import { sandboxCompanies } from './sandbox-records.ts';

type SandboxCompany = (typeof sandboxCompanies)[number];

/** What a company gains by each value that it shares with a seed; together with `base`, at most 1. */
const weights = { industry: 0.4, companyType: 0.2, country: 0.1, companySize: 0.05, revenue: 0.05 } as const;
const base = 0.2;
/** What a company gains if it and a description have a word in common. */
const describedWeight = 0.3;
/** For a company in the industry of one that matches must be unlike. */
const unlikeFactor = 0.5;

const facetNames = {
  industry: 'industry',
  companyType: 'company_type',
  country: 'country',
  companySize: 'company_size',
  revenue: 'revenue',
} as const satisfies Record<keyof typeof weights, MatchingFacet['facet']>;

/**
 * Ranks the companies of the sandbox by the values that they share with the seeds. The real ranking learns from
 * thousands of companies; a program that tries its searches needs an order that stays the same (docs/sandbox.md).
 */
export const sandboxRanking: Pick<LookalikeRanking, 'rank'> = {
  async rank({ seeds, described = [], unlike = [], candidates = {}, limit, offset = 0, explain = 0 }) {
    const named = sandboxCompanies.filter(({ companyNo }) => seeds.includes(companyNo));
    const avoided = sandboxCompanies.filter(({ companyNo }) => unlike.includes(companyNo));
    const matches = sandboxCompanies
      .filter(company => ![...named, ...avoided].includes(company) && isWanted(company, candidates))
      .map(company => matchOf(company, { named, described }, avoided))
      .sort((one, other) => other.strength - one.strength || one.companyNo - other.companyNo);
    return {
      matches: matches
        .slice(offset, offset + limit)
        .map((match, at) => (at < explain ? match : { ...match, reasons: null })),
      total: matches.length,
      expected: strengthSteps.map(strengthFrom => ({
        strengthFrom,
        candidates: matches.filter(({ strength }) => strength >= strengthFrom).length,
      })),
      unusable: new Map(),
      unusableDescribed: described.map(() => null),
      nextModelMs: null,
      modelNo: 0,
    } satisfies LookalikeAnswer;
  },
};

function isWanted(company: SandboxCompany, wanted: NonNullable<LookalikeQuestion['candidates']>): boolean {
  const among = <Value>(values: readonly Value[] = [], value: Value | null) =>
    values.length === 0 || (value !== null && values.includes(value));
  return (
    among(wanted.countries, company.country) &&
    among(wanted.industries, company.industry) &&
    among(wanted.companySizes, company.companySize) &&
    among(wanted.revenues, company.revenue) &&
    among(wanted.companyTypes, company.companyType) &&
    !wanted.excludedCompanyNos?.includes(company.companyNo)
  );
}

function matchOf(
  company: SandboxCompany,
  {
    named: seeds,
    described,
  }: { readonly named: readonly SandboxCompany[]; readonly described: readonly SeedWords[] },
  avoided: readonly SandboxCompany[],
): LookalikeMatch {
  const shared = (Object.keys(weights) as (keyof typeof weights)[]).filter(
    field => company[field] !== null && seeds.some(seed => seed[field] === company[field]),
  );
  const words = Object.keys(wordsOfText(company)).filter(stem =>
    described.some(each => Object.hasOwn(each, stem)),
  );
  const sum = shared.reduce((rest, field) => rest + weights[field], base);
  const strength = Math.min(1, sum + (words.length > 0 ? describedWeight : 0));
  const isAvoided = avoided.some(({ industry }) => industry === company.industry);
  return {
    companyNo: company.companyNo,
    // Without the error of binary fractions, so that a strength of 0.6 counts from 0.6.
    strength: Number((isAvoided ? strength * unlikeFactor : strength).toFixed(3)),
    reasons: {
      sharedTerms: [
        ...new Set([
          ...words,
          ...company.keywords.filter(word => seeds.some(({ keywords }) => keywords.includes(word))),
        ]),
      ],
      matchingFacets: shared.map(field => ({ facet: facetNames[field], value: String(company[field]) })),
    },
  };
}
