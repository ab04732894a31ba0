import {
  companySizes,
  companyTypes,
  departments,
  type PeopleFilters,
  revenues,
  seniorities,
} from '@mailproof/shared-types';
import type { NamedMembers, PeopleCountQuery } from '../../src/domain/people-search/people-index.ts';
import type { SeededRandom } from '../../src/fixtures/seeded-random.ts';

/** The values to search for, most frequent first. */
export interface Stock {
  readonly titles: readonly string[];
  readonly countries: readonly string[];
  readonly regions: readonly string[];
  readonly cities: readonly string[];
  readonly industries: readonly string[];
  readonly keywords: readonly string[];
  readonly names: readonly string[];
  readonly domains: readonly string[];
}

/** Returns some values of a list, at least one. */
function some(random: SeededRandom, values: readonly string[], max = 3): string[] {
  return random.some(values as [string, ...string[]], 1 + random.below(Math.min(max, values.length)));
}

type MakeFilters = (stock: Stock, random: SeededRandom) => PeopleFilters;

const titlesOfPeople = [
  'CEO',
  'VP Sales',
  'Head of Marketing',
  'Software Developer',
  'HR Manager',
  'engineer',
  'director',
];

const namesOfPeople: readonly [string, ...string[]] = [
  'Smith',
  'J Jones',
  'mar',
  'Schmidt Anna',
  'garcia c',
  'Nicole',
  'a b',
  'Sofia Rossi',
];

/** The kinds of filters to measure, individually and mixed. */
export const searchKinds: Readonly<Record<string, MakeFilters>> = {
  none: () => ({}),
  'person names': (_stock, random) => ({ person_names: some(random, namesOfPeople) }),
  'person names and country': ({ countries }, random) => ({
    person_names: [random.pick(namesOfPeople)],
    countries: some(random, countries),
  }),
  'job titles, similar': (_stock, random) => ({ job_titles: some(random, titlesOfPeople) }),
  'job titles, exact': ({ titles }, random) => ({
    job_titles: some(random, titles),
    job_title_match: 'exact',
  }),
  'excluded job titles': (_stock, random) => ({ excluded_job_titles: some(random, titlesOfPeople) }),
  seniority: (_stock, random) => ({ seniorities: some(random, seniorities) }),
  department: (_stock, random) => ({ departments: some(random, departments) }),
  country: ({ countries }, random) => ({ countries: some(random, countries) }),
  region: ({ regions }, random) => ({ regions: some(random, regions) }),
  city: ({ cities }, random) => ({ cities: some(random, cities) }),
  industry: ({ industries }, random) => ({ industries: some(random, industries) }),
  'company size': (_stock, random) => ({ company_sizes: some(random, companySizes) }),
  revenue: (_stock, random) => ({ revenues: some(random, revenues) }),
  'company type': (_stock, random) => ({ company_types: some(random, companyTypes) }),
  technologies: () => ({ company_technologies: ['Salesforce', 'Stripe'] }),
  'excluded technologies': () => ({ excluded_company_technologies: ['SAP', 'React'] }),
  'excluded names': (_stock, random) => ({ excluded_person_names: some(random, namesOfPeople) }),
  'excluded seniority': (_stock, random) => ({ excluded_seniorities: some(random, seniorities) }),
  'excluded country': ({ countries }, random) => ({ excluded_countries: some(random, countries) }),
  'excluded size': (_stock, random) => ({ excluded_company_sizes: some(random, companySizes) }),
  'excluded keywords': ({ keywords }, random) => ({ excluded_keywords: some(random, keywords) }),
  'excluded company names': ({ names }, random) => ({ excluded_company_names: some(random, names, 10) }),
  funding: (_stock, random) => ({ company_funding: { min: 1_000_000 * random.below(20) } }),
  founded: (_stock, random) => {
    const min = 1950 + random.below(60);
    return { company_founded: { min, max: min + random.below(30) } };
  },
  'keywords, any': ({ keywords }, random) => ({ keywords: some(random, keywords) }),
  'keywords, all': ({ keywords }, random) => ({ keywords: some(random, keywords, 2), keyword_match: 'all' }),
  'keywords by words': ({ keywords }, random) => ({
    keywords: some(random, [...keywords, 'management', 'learning', 'data']),
    keyword_terms: 'words',
  }),
  'company names': ({ names }, random) => ({ company_names: some(random, names, 10) }),
  'company domains': ({ domains }, random) => ({ company_domains: some(random, domains, 50) }),
  'excluded domains': ({ domains }, random) => ({ excluded_company_domains: some(random, domains, 50) }),
  'four at once': ({ countries, industries }, random) => ({
    seniorities: some(random, seniorities),
    countries: some(random, countries, 5),
    industries: some(random, industries, 5),
    company_sizes: some(random, companySizes),
  }),
  'eight excluded': ({ countries, industries, keywords }, random) => ({
    excluded_person_names: some(random, namesOfPeople),
    excluded_seniorities: some(random, seniorities),
    excluded_departments: some(random, departments),
    excluded_countries: some(random, countries),
    excluded_industries: some(random, industries),
    excluded_company_sizes: some(random, companySizes),
    excluded_company_founded: { min: 2015 },
    excluded_keywords: some(random, keywords),
  }),
  'nine at once': ({ countries, industries, keywords }, random) => ({
    job_titles: titlesOfPeople,
    excluded_job_titles: ['assistant'],
    seniorities: some(random, seniorities, 8),
    departments: some(random, departments, 15),
    countries: some(random, countries, 20),
    industries: some(random, industries, 20),
    company_sizes: some(random, companySizes, 6),
    revenues: some(random, revenues, 8),
    keywords: some(random, keywords, 30),
  }),
};

export type PeopleQuery = Pick<PeopleCountQuery, 'filters' | 'members' | 'skip'>;

/** Combines some kinds of filters; some searches also name lists, and some leave out people already saved. */
export function randomSearch(stock: Stock, random: SeededRandom, people: number): PeopleQuery {
  const kinds = random.some(Object.values(searchKinds), 1 + random.below(3));
  const filters: PeopleFilters = Object.assign({}, ...kinds.map(make => make(stock, random)));
  return {
    filters,
    ...(random.happens(0.25) && { members: randomLists(stock, random, people) }),
    ...(random.happens(0.25) && { skip: numbersBelow(people, random.below(3_000), random) }),
  };
}

function randomLists({ domains }: Stock, random: SeededRandom, people: number): NamedMembers {
  const list = () => ({
    people: numbersBelow(people, random.below(2_000), random),
    companies: numbersBelow(Math.ceil(people / 8), random.below(200), random),
    domains: random.some(domains, random.below(50)),
  });
  return { wanted: random.happens(0.5) ? list() : undefined, excluded: list() };
}

function numbersBelow(end: number, count: number, random: SeededRandom): Int32Array {
  return Int32Array.from(new Set(Array.from({ length: count }, () => 1 + random.below(end)))).sort();
}
