import type { PeopleFacetName, PeopleFilters } from '@mailproof/shared-types';
import { closedVocabularies } from '../check-filters.ts';
import type { ListMembers, NamedMembers } from '../people-index.ts';
import type { Column, Dictionary } from './column.ts';
import type { CompanyColumns } from './company-columns.ts';
import { type WantedNames, wantedNames } from './match-names.ts';
import type { PeopleColumns } from './people-columns.ts';

/** The filters that a person fails, one bit each; `barred` is for filters without a facet, which are never ignored. */
export const failure = {
  barred: 1,
  job_titles: 2,
  seniorities: 4,
  departments: 8,
  countries: 16,
  regions: 32,
  cities: 64,
  industries: 128,
  company_sizes: 256,
  revenues: 512,
  company_types: 1_024,
  keywords: 2_048,
  company_technologies: 4_096,
} as const satisfies Readonly<Record<PeopleFacetName | 'barred', number>>;

/** The failure bits for every code of a column. */
export interface MatchTable {
  readonly column: Column;
  readonly failures: Uint16Array;
}

/** Who is on a list. */
export interface ListedRows {
  /** By ascending person_no. */
  readonly people: Int32Array;
  /** 1 for each row of a company on a list. */
  readonly companies: Uint8Array;
}

/** The filters as codes. */
export interface MatchTables {
  readonly tables: readonly MatchTable[];
  /** 1 for every requested keyword; undefined if none is. */
  readonly keywords: Uint8Array | undefined;
  /** The number of requested keywords that a person needs. */
  readonly keywordsNeeded: number;
  /** The requested names; undefined if none is. */
  readonly names: WantedNames | undefined;
  /** The lists on which people must be; undefined if none is required. */
  readonly listed: ListedRows | undefined;
  /** The facets that have their own filter. */
  readonly filtered: ReadonlySet<PeopleFacetName>;
}

/** Compiles the filters, whose values are known, once for all rows. */
export function matchTables(
  columns: PeopleColumns,
  filters: PeopleFilters,
  members: NamedMembers | undefined,
): MatchTables {
  if (members === undefined && (filters.saved_lists ?? filters.excluded_saved_lists) !== undefined) {
    throw new Error('The filters name saved lists, and the query has no members of them.');
  }
  const tables: MatchTable[] = [];
  const add = (column: Column, failures: Uint16Array | undefined) => {
    if (failures) {
      tables.push({ column, failures });
    }
  };
  add(columns.title, titleFailures(columns, filters));
  add(columns.seniority, closedFailures('seniorities', filters));
  add(columns.department, closedFailures('departments', filters));
  add(columns.country, dictionaryFailures('countries', filters, columns.countries));
  add(columns.region, dictionaryFailures('regions', filters, columns.regions));
  add(columns.city, dictionaryFailures('cities', filters, columns.cities));
  add(columns.company, companyFailures(columns, filters, members?.excluded));
  const { flags: keywords, found } = filters.keywords
    ? flagsOf(columns.keywords.dictionary, filters.keywords)
    : { flags: undefined, found: 0 };
  const facetNames = Object.keys(failure) as (PeopleFacetName | 'barred')[];
  return {
    tables,
    keywords,
    // No row has an unknown keyword: with one, a filter that needs all keywords matches no row.
    keywordsNeeded: filters.keyword_match === 'all' ? found : 1,
    listed: members?.wanted && listedRows(columns, members.wanted),
    names: filters.person_names && wantedNames(columns.names.dictionary, filters.person_names),
    filtered: new Set(
      facetNames.filter(name => name !== 'barred' && filters[name] !== undefined) as PeopleFacetName[],
    ),
  };
}

function titleFailures(columns: PeopleColumns, filters: PeopleFilters): Uint16Array | undefined {
  const { job_titles: wanted, excluded_job_titles: excluded, job_title_match: mode = 'similar' } = filters;
  if (!wanted && !excluded) {
    return undefined;
  }
  const failures = new Uint16Array(columns.titles.dictionary.size);
  if (wanted) {
    failures.fill(failure.job_titles);
    for (const title of wanted) {
      columns.titles.match(title, mode, code => {
        failures[code] = 0;
      });
    }
  }
  for (const title of excluded ?? []) {
    columns.titles.match(title, mode, code => {
      failures[code] = (failures[code] ?? 0) | failure.barred;
    });
  }
  return failures;
}

function closedFailures(
  name: keyof typeof closedVocabularies,
  filters: PeopleFilters,
): Uint16Array | undefined {
  const wanted = filters[name];
  if (!wanted) {
    return undefined;
  }
  const vocabulary = closedVocabularies[name];
  const failures = new Uint16Array(vocabulary.length + 1).fill(failure[name]);
  for (const value of wanted) {
    failures[vocabulary.indexOf(value) + 1] = 0;
  }
  failures[0] = failure[name];
  return failures;
}

function dictionaryFailures(
  name: 'countries' | 'regions' | 'cities' | 'industries',
  filters: PeopleFilters,
  dictionary: Dictionary,
): Uint16Array | undefined {
  const wanted = filters[name];
  if (!wanted) {
    return undefined;
  }
  const failures = new Uint16Array(dictionary.size).fill(failure[name]);
  for (const value of wanted) {
    failures[dictionary.find(value) ?? 0] = 0;
  }
  failures[0] = failure[name];
  return failures;
}

/** Builds one table for all filters on companies; its first row is for people without a company. */
function companyFailures(
  columns: PeopleColumns,
  filters: PeopleFilters,
  unlisted: ListMembers | undefined,
): Uint16Array | undefined {
  const { companies } = columns;
  const tables = [
    { column: companies.size, failures: closedFailures('company_sizes', filters) },
    { column: companies.revenue, failures: closedFailures('revenues', filters) },
    { column: companies.type, failures: closedFailures('company_types', filters) },
    { column: companies.industry, failures: dictionaryFailures('industries', filters, companies.industries) },
  ].filter((each): each is MatchTable => each.failures !== undefined);
  const { company_names: names, company_domains: domains, excluded_company_domains: excluded } = filters;
  const { company_founded: founded, company_technologies: used } = filters;
  const { excluded_company_technologies: unused } = filters;
  const isFree = !names && !domains && !excluded && !founded && !used && !unused && !unlisted;
  if (tables.length === 0 && isFree) {
    return undefined;
  }
  const failures = new Uint16Array(companies.rows);
  if (names) {
    const wanted = new Set(names.map(name => companies.names.find(name) ?? 0));
    wanted.delete(0);
    for (let row = 0; row < failures.length; row += 1) {
      failures[row] = wanted.has(companies.name.numbers[row] ?? 0) ? 0 : failure.barred;
    }
  }
  if (domains) {
    const wanted = new Set(domains.map(domain => companies.rowOfDomain(domain)));
    for (let row = 0; row < failures.length; row += 1) {
      failures[row] = (failures[row] ?? 0) | (wanted.has(row) ? 0 : failure.barred);
    }
  }
  if (founded) {
    const { min = 1, max = Number.MAX_SAFE_INTEGER } = founded;
    for (let row = 0; row < failures.length; row += 1) {
      const year = companies.founded.numbers[row] ?? 0;
      failures[row] = (failures[row] ?? 0) | (year >= min && year <= max ? 0 : failure.barred);
    }
  }
  noteTechnologies(companies, used, failure.company_technologies, false, failures);
  noteTechnologies(companies, unused, failure.barred, true, failures);
  for (const domain of excluded ?? []) {
    failures[companies.rowOfDomain(domain) ?? failures.length] = failure.barred;
  }
  for (const row of unlisted ? rowsOf(columns, unlisted) : []) {
    failures[row] = failure.barred;
  }
  for (const { column, failures: codes } of tables) {
    for (let row = 0; row < failures.length; row += 1) {
      failures[row] = (failures[row] ?? 0) | (codes[column.numbers[row] ?? 0] ?? 0);
    }
  }
  return failures;
}

/** Notes a failure for each company that uses one of the technologies, or for each that uses none of them. */
function noteTechnologies(
  { technologies, rows }: CompanyColumns,
  named: readonly string[] | undefined,
  failed: number,
  failsIfUsed: boolean,
  failures: Uint16Array,
): void {
  if (!named) {
    return;
  }
  const { flags } = flagsOf(technologies.dictionary, named);
  const begin = technologies.begin.numbers;
  const end = technologies.end.numbers;
  const codes = technologies.codes.numbers;
  for (let row = 0; row < rows; row += 1) {
    let isUsed = false;
    for (let at = begin[row] as number; at < (end[row] as number) && !isUsed; at += 1) {
      isUsed = flags[codes[at] as number] === 1;
    }
    if (isUsed === failsIfUsed) {
      (failures[row] as number) |= failed;
    }
  }
}

function listedRows(columns: PeopleColumns, wanted: ListMembers): ListedRows {
  const flags = new Uint8Array(columns.companies.rows);
  for (const row of rowsOf(columns, wanted)) {
    flags[row] = 1;
  }
  return { people: wanted.people, companies: flags };
}

/** The rows of the companies on a list that employ people in the index. */
function* rowsOf(
  { companies }: PeopleColumns,
  { companies: numbers, domains }: ListMembers,
): Iterable<number> {
  for (const companyNo of numbers) {
    const row = companies.rowOfKnownNo(companyNo);
    if (row !== undefined) yield row;
  }
  for (const domain of domains) {
    const row = companies.rowOfDomain(domain);
    if (row !== undefined) yield row;
  }
}

/** Returns 1 for the code of each value, and how many different values there are, with unknown ones. */
function flagsOf(dictionary: Dictionary, wanted: readonly string[]): { flags: Uint8Array; found: number } {
  const flags = new Uint8Array(dictionary.size);
  let missing = 0;
  for (const value of wanted) {
    const code = dictionary.find(value) ?? 0;
    missing += code === 0 ? 1 : 0;
    flags[code] = 1;
  }
  flags[0] = 0;
  return { flags, found: flags.reduce((sum, flag) => sum + flag, 0) + missing };
}
