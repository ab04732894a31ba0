import {
  companySizes,
  companyTypes,
  departments,
  limits,
  type PeopleFilters,
  revenues,
  seniorities,
} from '@mailproof/shared-types';
import fc from 'fast-check';
import type { IndexedCompany } from '../columns/company-columns.ts';
import type { IndexedPerson } from '../columns/people-columns.ts';

/* Random stores and searches, for every index of people. */

const titles = [
  'CEO',
  'Chief Executive Officer',
  'VP Sales',
  'Sales Vice President',
  'Engineer',
  'Former CEO',
  'President',
  'Managing Director',
  'Managing Director, Sales',
];
const names = [
  ...[
    'Mary Jones',
    'John Jones',
    'J. R. R. Tolkien',
    'José Ortega-José',
    'Jo Ann Ånn',
    "Conan O'Brien",
    '山田 太郎',
  ],
  ...['Boutros Boutros-Ghali', 'Ada', '…', 'Zoë Straßer', 'Łukasz Yıldız'],
];
const askedNames = [
  ...[
    'jones',
    'j jones',
    'JONES, J.',
    'r r',
    'r j t',
    'r r r',
    'tolkien j r',
    'jose jose',
    'josé o',
    'an ann',
  ],
  ...[
    'ann jo a',
    'a a a',
    'o’brien',
    'obrien c',
    '山',
    '山田 太',
    '太郎',
    'bout bout',
    'bou bou bou',
    'ada',
    '!?',
  ],
  ...['zoe strasser', 'lukasz yildiz', 'ones', 'nobody', 'b g', 'g b b', 'mary j j', 'a', 'j'],
];
const words = ['red', 'green', 'blue', 'rot'];
const keywords = [...words, 'dark red', 'dark blue green', 'Red, dark', 'a b c d e f g h', 'a b c d e f g'];
const askedKeywords = [...keywords, 'dark', 'DARK-red', 'blue green', 'c d e f g h', 'c d', 'ark', 'nothing'];
const locations = ['Paris', 'Köln', 'Lima', 'Oslo'];
export const companyNos = [1, 2, 3, 4];
const oneOf = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { freq: 4 });

const technologies = ['Salesforce', 'React', 'Node.js'];
const year = fc.integer({ min: 1998, max: 2003 });
const funding = fc.constantFrom(0, 1, 5_000_000, 5_000_000_000, limits.fundingUsdMax);

export const company = fc.record({
  companyNo: fc.constantFrom(...companyNos),
  name: fc.constantFrom('Acme Inc.', 'ACME', 'Beta GmbH', 'The Gamma Group'),
  companySize: oneOf(companySizes),
  revenue: oneOf(revenues),
  companyType: oneOf(companyTypes),
  industry: oneOf(words),
  foundedYear: fc.option(year, { freq: 4 }),
  fundingUsd: fc.option(funding, { freq: 3 }),
  technologies: fc.uniqueArray(fc.constantFrom(...technologies), { maxLength: 3 }),
});

export const person = fc.record({
  personNo: fc.integer({ min: 1, max: 60 }),
  fullName: fc.constantFrom(...names),
  jobTitle: oneOf(titles),
  seniority: oneOf(seniorities),
  department: oneOf(departments),
  companyNo: fc.option(fc.constantFrom(...companyNos), { freq: 3 }),
  companyName: oneOf(['Acme', 'Delta']),
  country: oneOf(['DE', 'FR', 'US']),
  region: oneOf(locations),
  city: oneOf(locations),
  keywords: fc.uniqueArray(fc.constantFrom(...keywords), { maxLength: 4 }),
});

const some = (values: readonly string[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }), {
    nil: undefined,
    freq: 2,
  });

const range = (number: fc.Arbitrary<number>) =>
  fc.option(
    fc.oneof(
      fc.record({ min: number }),
      fc.record({ max: number }),
      fc.tuple(number, number).map(both => ({ min: Math.min(...both), max: Math.max(...both) })),
    ),
    { nil: undefined, freq: 2 },
  );

export const filters = fc
  .record({
    person_names: some(askedNames),
    excluded_person_names: some(askedNames),
    job_titles: some([...titles, 'Sales', 'nobody']),
    job_title_match: fc.constantFrom(undefined, 'exact' as const, 'similar' as const),
    excluded_job_titles: some(titles),
    seniorities: some(seniorities),
    excluded_seniorities: some(seniorities),
    departments: some(departments),
    excluded_departments: some(departments),
    company_names: some(['acme', 'Gamma', 'Delta', 'Omega']),
    excluded_company_names: some(['ACME Inc', 'beta', 'delta', 'Omega']),
    company_domains: some(['c1.example', 'c2.example', 'none.example']),
    excluded_company_domains: some(['c1.example', 'none.example']),
    countries: some(['DE', 'FR']),
    excluded_countries: some(['DE', 'FR', 'US']),
    regions: some(['paris', 'koln']),
    excluded_regions: some(['paris', 'koln']),
    cities: some(locations),
    excluded_cities: some(locations),
    industries: some(words),
    excluded_industries: some(words),
    company_sizes: some(companySizes),
    excluded_company_sizes: some(companySizes),
    revenues: some(revenues),
    excluded_revenues: some(revenues),
    company_types: some(companyTypes),
    excluded_company_types: some(companyTypes),
    company_technologies: some(['salesforce', 'Node js', 'React', 'nothing']),
    excluded_company_technologies: some(['SALESFORCE', 'react', 'nothing']),
    company_founded: range(year),
    excluded_company_founded: range(year),
    company_funding: range(funding),
    excluded_company_funding: range(funding),
    keywords: some(askedKeywords),
    excluded_keywords: some(askedKeywords),
    keyword_match: fc.constantFrom(undefined, 'any' as const, 'all' as const),
    keyword_terms: fc.constantFrom(undefined, 'whole' as const, 'words' as const),
  })
  // With every filter at once nothing would ever match; a filter and its match mode belong together.
  .chain(all =>
    fc
      .subarray(Object.keys(all).filter(name => !/_(match|terms)$/.test(name)) as (keyof typeof all)[], {
        maxLength: 4,
      })
      .map(names => {
        const chosen = Object.fromEntries(names.map(name => [name, all[name]])) as PeopleFilters;
        const { job_title_match, keyword_match, keyword_terms } = all;
        return {
          ...chosen,
          ...((chosen.job_titles || chosen.excluded_job_titles) && { job_title_match }),
          ...(chosen.keywords && { keyword_match }),
          ...((chosen.keywords || chosen.excluded_keywords) && { keyword_terms }),
        };
      }),
  );

const list = fc.record({
  people: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }).map(inOrder),
  companies: fc.uniqueArray(fc.constantFrom(...companyNos)).map(inOrder),
  domains: fc.uniqueArray(fc.constantFrom('c1.example', 'c3.example', 'none.example')),
});

/** The members of lists that a search names; most searches name none. */
export const members = fc.option(
  fc.record({ wanted: fc.option(list, { nil: undefined, freq: 3 }), excluded: list }),
  { nil: undefined, freq: 1 },
);

export function inOrder(numbers: readonly number[]): Int32Array {
  return Int32Array.from(numbers).sort();
}

/** A change of the store. */
export type Change =
  | { readonly kind: 'put'; readonly people: readonly IndexedPerson[] }
  | { readonly kind: 'company'; readonly company: IndexedCompany }
  | { readonly kind: 'remove'; readonly personNo: number }
  | { readonly kind: 'removeCompany'; readonly companyNo: number };

export const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('put' as const), people: fc.array(person, { maxLength: 30 }) }),
  },
  {
    weight: 3,
    arbitrary: company.map(each => ({
      kind: 'company' as const,
      company: { ...each, domain: `c${each.companyNo}.example` },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), personNo: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('removeCompany' as const),
      companyNo: fc.constantFrom(...companyNos),
    }),
  },
);
