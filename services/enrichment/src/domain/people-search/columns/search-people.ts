import type { PeopleFacet, PeopleFacetName, PeopleFacets, PeopleFilters } from '@mailproof/shared-types';
import { limits } from '@mailproof/shared-types/limits';
import { closedVocabularies } from '../check-filters.ts';
import type { NamedMembers, PeopleCounts, PeoplePage } from '../people-index.ts';
import { union } from '../saved-lists.ts';
import type { Column } from './column.ts';
import { blockRows, findFailures, type Skipped } from './find-failures.ts';
import { failure, matchTables } from './match-tables.ts';
import type { PeopleColumns } from './people-columns.ts';

type Numbers = Uint32Array<ArrayBufferLike>;

/** Counts the codes of a column among the people who fail at most the ignored filter. */
interface Tally {
  readonly column: Column;
  /** The ignored filter: the facet's own. */
  readonly own: number;
  readonly counts: Numbers;
}

interface Options {
  readonly skipped?: Skipped;
  /** Required if the filters name saved lists. */
  readonly members?: NamedMembers | undefined;
}

function skippedBy({ skipped, members }: Options): Skipped {
  return members ? union([skipped, members.excluded.people]) : (skipped ?? new Int32Array(0));
}

/** Returns the total and facets of the people who match. */
export function countPeople(
  columns: PeopleColumns,
  filters: PeopleFilters,
  options: Options & { readonly facets?: boolean } = {},
): PeopleCounts {
  const { facets: wanted = true, members } = options;
  const skipped = skippedBy(options);
  const match = matchTables(columns, filters, members);
  const tallies = wanted ? createTallies(columns, filters, match.filtered) : undefined;
  const failures = new Uint16Array(blockRows);
  const found = new Uint32Array(blockRows);
  let total = 0;
  for (let from = 0; from < columns.rows; from += blockRows) {
    const to = Math.min(from + blockRows, columns.rows);
    findFailures(columns, match, skipped, { from, to }, failures);
    const count = gather(failures, 0, from, to, found);
    total += count;
    for (const { column, own, counts } of tallies?.columns ?? []) {
      if (own === 0) {
        tallyRows(column.numbers, found, count, counts);
      } else {
        tally(column.numbers, failures, own, from, to, counts);
      }
    }
    if (tallies) {
      const { own, counts } = tallies.keywords;
      const rows = own === 0 ? found : tallies.keywordRows;
      const rowsCount = own === 0 ? count : gather(failures, own, from, to, rows);
      tallyKeywords(columns, rows, rowsCount, counts);
    }
  }
  return tallies ? { total, facets: tallies.facets() } : { total };
}

function createTallies(
  columns: PeopleColumns,
  filters: PeopleFilters,
  filtered: ReadonlySet<PeopleFacetName>,
) {
  const { companies } = columns;
  const all: Tally[] = [];
  const ownOf = (name: PeopleFacetName) => (filtered.has(name) ? failure[name] : 0);
  const tallyOf = (column: Column, own: number, size: number): Numbers => {
    const same = all.find(each => each.column === column && each.own === own);
    if (same) {
      return same.counts;
    }
    const counts = new Uint32Array(size);
    all.push({ column, own, counts });
    return counts;
  };
  const ofPeople = (name: PeopleFacetName, column: Column, values: readonly string[]) => {
    const counts = tallyOf(column, ownOf(name), values.length);
    return () => facetOf(name, counts, values);
  };
  // Count people by company; company facets are derived from these counts at the end.
  const ofCompanies = (name: PeopleFacetName, column: Column, values: readonly string[]) => {
    const counts = tallyOf(columns.company, ownOf(name), companies.rows);
    return () => {
      const sums = new Uint32Array(values.length);
      for (let row = 0; row < counts.length; row += 1) {
        (sums[column.numbers[row] as number] as number) += counts[row] as number;
      }
      return facetOf(name, sums, values);
    };
  };
  // As above, with several values for each company.
  const ofTechnologies = () => {
    const { begin, end, codes, dictionary } = companies.technologies;
    const counts = tallyOf(columns.company, ownOf('company_technologies'), companies.rows);
    return () => {
      const sums = new Uint32Array(dictionary.size);
      const [begins, ends, values] = [begin.numbers, end.numbers, codes.numbers];
      for (let row = 0; row < counts.length; row += 1) {
        const count = counts[row] as number;
        if (count === 0) {
          continue;
        }
        const last = ends[row] as number;
        let at = begins[row] as number;
        if (at === last) {
          (sums[0] as number) += count;
        }
        for (; at < last; at += 1) {
          (sums[values[at] as number] as number) += count;
        }
      }
      return facetOf('company_technologies', sums, dictionary.values);
    };
  };
  const closed = (name: keyof typeof closedVocabularies) => ['', ...closedVocabularies[name]];
  const makers: Readonly<Record<Exclude<PeopleFacetName, 'keywords'>, () => PeopleFacet>> = {
    seniorities: ofPeople('seniorities', columns.seniority, closed('seniorities')),
    departments: ofPeople('departments', columns.department, closed('departments')),
    company_sizes: ofCompanies('company_sizes', companies.size, closed('company_sizes')),
    revenues: ofCompanies('revenues', companies.revenue, closed('revenues')),
    company_types: ofCompanies('company_types', companies.type, closed('company_types')),
    industries: ofCompanies('industries', companies.industry, companies.industries.values),
    company_technologies: ofTechnologies(),
    countries: ofPeople('countries', columns.country, columns.countries.values),
    regions: ofPeople('regions', columns.region, columns.regions.values),
    cities: ofPeople('cities', columns.city, columns.cities.values),
    job_titles: ofPeople('job_titles', columns.title, columns.titles.dictionary.values),
  };
  // If all keywords are required, each one narrows the results: the counts then cover only people who have all of them.
  const ownKeywords = filters.keyword_match === 'all' ? 0 : ownOf('keywords');
  const keywordValues = columns.keywords.dictionary.values;
  const keywords = { own: ownKeywords, counts: new Uint32Array(keywordValues.length) };
  return {
    columns: all,
    keywords,
    keywordRows: new Uint32Array(blockRows),
    facets: (): PeopleFacets =>
      ({
        ...Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()])),
        keywords: facetOf('keywords', keywords.counts, keywordValues),
      }) as PeopleFacets,
  };
}

/** Collects the rows of a block that fail at most the ignored filter. */
function gather(failures: Uint16Array, own: number, from: number, to: number, rows: Uint32Array): number {
  const others = ~own;
  let count = 0;
  for (let row = from; row < to; row += 1) {
    rows[count] = row;
    count += ((failures[row - from] as number) & others) === 0 ? 1 : 0;
  }
  return count;
}

function tallyRows(codes: Uint32Array, rows: Uint32Array, count: number, counts: Numbers): void {
  for (let at = 0; at < count; at += 1) {
    (counts[codes[rows[at] as number] as number] as number) += 1;
  }
}

function tally(
  codes: Uint32Array,
  failures: Uint16Array,
  own: number,
  from: number,
  to: number,
  counts: Numbers,
): void {
  const others = ~own;
  for (let row = from; row < to; row += 1) {
    if (((failures[row - from] as number) & others) === 0) {
      (counts[codes[row] as number] as number) += 1;
    }
  }
}

/** The first count is for people without any keyword. */
function tallyKeywords(columns: PeopleColumns, rows: Uint32Array, count: number, counts: Numbers): void {
  const begin = columns.keywords.begin.numbers;
  const end = columns.keywords.end.numbers;
  const codes = columns.keywords.codes.numbers;
  for (let index = 0; index < count; index += 1) {
    const row = rows[index] as number;
    const last = end[row] as number;
    let at = begin[row] as number;
    if (at === last) {
      (counts[0] as number) += 1;
    }
    for (; at < last; at += 1) {
      (counts[codes[at] as number] as number) += 1;
    }
  }
}

const wholeFacets: ReadonlySet<string> = new Set(Object.keys(closedVocabularies));

function facetOf(name: PeopleFacetName, counts: Numbers, values: readonly string[]): PeopleFacet {
  const unknown = counts[0] ?? 0;
  if (wholeFacets.has(name)) {
    const whole = values.slice(1).map((value, index) => ({ value, count: counts[index + 1] ?? 0 }));
    return { values: whole, unknown, more: false };
  }
  const most = mostFrequent(counts, values, limits.facetValuesMax + 1);
  return { values: most.slice(0, limits.facetValuesMax), unknown, more: most.length > limits.facetValuesMax };
}

/** Returns the most frequent values, ties ordered by text. */
export function mostFrequent(
  counts: Numbers,
  values: readonly string[],
  max: number,
): { value: string; count: number }[] {
  const most: { value: string; count: number }[] = [];
  const isAhead = (count: number, value: string, other: { value: string; count: number }) =>
    count > other.count || (count === other.count && value < other.value);
  for (let code = 1; code < values.length; code += 1) {
    const count = counts[code] ?? 0;
    const value = values[code] ?? '';
    const last = most[max - 1];
    if (count === 0 || (last && !isAhead(count, value, last))) {
      continue;
    }
    let low = 0;
    let high = most.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = most[middle];
      if (other && isAhead(count, value, other)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    most.splice(low, 0, { value, count });
    most.length = Math.min(most.length, max);
  }
  return most;
}

/** Returns the next people who match, by ascending person_no; scans no further than necessary. */
export function pagePeople(
  columns: PeopleColumns,
  filters: PeopleFilters,
  options: Options & { readonly after: number; readonly limit: number },
): PeoplePage {
  const { after, limit, members } = options;
  const skipped = skippedBy(options);
  const match = matchTables(columns, filters, members);
  const failures = new Uint16Array(blockRows);
  const personNos: number[] = [];
  for (let from = columns.firstRowAfter(after); from < columns.rows; from += blockRows) {
    const to = Math.min(from + blockRows, columns.rows);
    findFailures(columns, match, skipped, { from, to }, failures);
    for (let row = from; row < to; row += 1) {
      if (failures[row - from] === 0) {
        if (personNos.length === limit) {
          return { personNos, more: true };
        }
        personNos.push(columns.personNo.numbers[row] ?? 0);
      }
    }
  }
  return { personNos, more: false };
}
