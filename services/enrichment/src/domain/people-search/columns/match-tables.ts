import type { PeopleFacetName, PeopleFilters } from '@mailproof/shared-types';
import { closedVocabularies, excludedOf } from '../check-filters.ts';
import type { ListMembers, NamedMembers } from '../people-index.ts';
import { type Column, type Dictionary, unknownCode } from './column.ts';
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

/** The requested keywords: 1 for each of them if any suffices, or bits of which a person needs all. */
export type WantedKeywords =
  | { readonly any: Uint8Array }
  | { readonly all: readonly { readonly bitsOf: Int32Array; readonly needed: number }[] };

/** The filters as codes. */
export interface MatchTables {
  readonly tables: readonly MatchTable[];
  readonly keywords: WantedKeywords | undefined;
  /** 1 for every excluded keyword; undefined if none is. */
  readonly excludedKeywords: Uint8Array | undefined;
  /** The requested names; undefined if none is. */
  readonly names: WantedNames | undefined;
  readonly excludedNames: WantedNames | undefined;
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
  const facetNames = Object.keys(failure) as (PeopleFacetName | 'barred')[];
  const namesOf = (names: readonly string[] | undefined) =>
    names && wantedNames(columns.names.dictionary, names);
  return {
    tables,
    keywords: wantedKeywords(columns, filters),
    excludedKeywords:
      filters.excluded_keywords && keywordFlags(columns, filters.excluded_keywords, filters.keyword_terms),
    listed: members?.wanted && listedRows(columns, members.wanted),
    names: namesOf(filters.person_names),
    excludedNames: namesOf(filters.excluded_person_names),
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

/** A keyword fills one bit for each value that it matches. */
const bitsMax = 32;

function wantedKeywords(columns: PeopleColumns, filters: PeopleFilters): WantedKeywords | undefined {
  const { keywords: wanted, keyword_match: match, keyword_terms: terms } = filters;
  if (!wanted || match !== 'all') {
    return wanted && { any: keywordFlags(columns, wanted, terms) };
  }
  const { dictionary } = columns.keywords;
  const all: { bitsOf: Int32Array; needed: number }[] = [];
  for (const [at, value] of wanted.entries()) {
    const bit = 1 << (at % bitsMax);
    if (at % bitsMax === 0) {
      all.push({ bitsOf: new Int32Array(dictionary.size), needed: 0 });
    }
    const group = all.at(-1) as { bitsOf: Int32Array; needed: number };
    // No row has an unknown keyword, so nothing matches a value that none has.
    group.needed |= bit;
    dictionary.match(value, terms, code => {
      group.bitsOf[code] = (group.bitsOf[code] as number) | bit;
    });
  }
  return { all };
}

function keywordFlags(
  { keywords: { dictionary } }: PeopleColumns,
  values: readonly string[],
  terms: PeopleFilters['keyword_terms'],
): Uint8Array {
  const flags = new Uint8Array(dictionary.size);
  for (const value of values) {
    dictionary.match(value, terms, code => {
      flags[code] = 1;
    });
  }
  return flags;
}

function closedFailures(
  name: keyof typeof closedVocabularies,
  filters: PeopleFilters,
): Uint16Array | undefined {
  const vocabulary = closedVocabularies[name];
  return codeFailures(name, filters, vocabulary.length + 1, value => vocabulary.indexOf(value) + 1);
}

function dictionaryFailures(
  name: 'countries' | 'regions' | 'cities' | 'industries',
  filters: PeopleFilters,
  dictionary: Dictionary,
): Uint16Array | undefined {
  return codeFailures(name, filters, dictionary.size, value => dictionary.find(value) ?? unknownCode);
}

/** An unknown value of a person fails what is requested, and is never excluded. */
function codeFailures(
  name: Exclude<PeopleFacetName, 'job_titles' | 'keywords' | 'company_technologies'>,
  filters: PeopleFilters,
  size: number,
  codeOf: (value: string) => number,
): Uint16Array | undefined {
  const { [name]: wanted, [excludedOf(name)]: excluded } = filters;
  if (!wanted && !excluded) {
    return undefined;
  }
  const failures = new Uint16Array(size).fill(wanted ? failure[name] : 0);
  for (const value of wanted ?? []) {
    failures[codeOf(value)] = 0;
  }
  for (const value of excluded ?? []) {
    const code = codeOf(value);
    failures[code] = (failures[code] as number) | failure.barred;
  }
  failures[unknownCode] = wanted ? failure[name] : 0;
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
  const { company_names: names, excluded_company_names: otherNames } = filters;
  const { company_domains: domains, excluded_company_domains: excluded } = filters;
  const { company_technologies: used, excluded_company_technologies: unused } = filters;
  const ranges = rangesOf(companies, filters);
  const isFree = !names && !otherNames && !domains && !excluded && !used && !unused && !unlisted;
  if (tables.length === 0 && isFree && ranges.length === 0) {
    return undefined;
  }
  const failures = new Uint16Array(companies.rows);
  noteNames(companies, names, false, failures);
  noteNames(companies, otherNames, true, failures);
  if (domains) {
    const wanted = new Set(domains.map(domain => companies.rowOfDomain(domain)));
    for (let row = 0; row < failures.length; row += 1) {
      failures[row] = (failures[row] ?? 0) | (wanted.has(row) ? 0 : failure.barred);
    }
  }
  for (const { numberOf, range, failsWithin } of ranges) {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range;
    for (let row = 0; row < failures.length; row += 1) {
      const number = numberOf(row);
      // Comparisons with an unknown number, which is NaN, are false.
      if ((number >= min && number <= max) === failsWithin) {
        (failures[row] as number) |= failure.barred;
      }
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

interface NumberRange {
  /** The number of a company's row; NaN if it is unknown. */
  readonly numberOf: (row: number) => number;
  readonly range: NonNullable<PeopleFilters['company_founded']>;
  readonly failsWithin: boolean;
}

function rangesOf(companies: CompanyColumns, filters: PeopleFilters): readonly NumberRange[] {
  const founded = (row: number) => companies.founded.numbers[row] || Number.NaN;
  const amounts = companies.fundings.values.map(value => (value === '' ? Number.NaN : Number(value)));
  const funding = (row: number) => amounts[companies.funding.numbers[row] as number] as number;
  return [
    { numberOf: founded, range: filters.company_founded, failsWithin: false },
    { numberOf: founded, range: filters.excluded_company_founded, failsWithin: true },
    { numberOf: funding, range: filters.company_funding, failsWithin: false },
    { numberOf: funding, range: filters.excluded_company_funding, failsWithin: true },
  ].filter((each): each is NumberRange => each.range !== undefined);
}

/** Bars each company that has one of the names, or each that has none of them. */
function noteNames(
  { names, name, rows }: CompanyColumns,
  named: readonly string[] | undefined,
  failsIfNamed: boolean,
  failures: Uint16Array,
): void {
  if (!named) {
    return;
  }
  const codes = new Set(named.map(each => names.find(each) ?? unknownCode));
  codes.delete(unknownCode);
  for (let row = 0; row < rows; row += 1) {
    if (codes.has(name.numbers[row] as number) === failsIfNamed) {
      (failures[row] as number) |= failure.barred;
    }
  }
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
  const flags = flagsOf(technologies.dictionary, named);
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

/** Returns 1 for the code of each value. */
function flagsOf(dictionary: Dictionary, values: readonly string[]): Uint8Array {
  const flags = new Uint8Array(dictionary.size);
  for (const value of values) {
    flags[dictionary.find(value) ?? unknownCode] = 1;
  }
  flags[unknownCode] = 0;
  return flags;
}
