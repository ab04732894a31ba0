import { z } from 'zod';
import { CallRefused, invalid } from './answers.ts';
import type { Records, StoredRecord } from './records.ts';

const filter = z.object({
  propertyName: z.string(),
  operator: z.enum([
    'EQ',
    'NEQ',
    'LT',
    'LTE',
    'GT',
    'GTE',
    'BETWEEN',
    'IN',
    'NOT_IN',
    'HAS_PROPERTY',
    'NOT_HAS_PROPERTY',
    'CONTAINS_TOKEN',
    'NOT_CONTAINS_TOKEN',
  ]),
  value: z.string().optional(),
  highValue: z.string().optional(),
  values: z.array(z.string()).optional(),
});

type Filter = z.output<typeof filter>;

const sort = z.union([
  z.string(),
  z.object({ propertyName: z.string(), direction: z.enum(['ASCENDING', 'DESCENDING']).default('ASCENDING') }),
]);

export const searchBody = z.object({
  filterGroups: z.array(z.object({ filters: z.array(filter) })).default([]),
  sorts: z.array(sort).default([]),
  properties: z.array(z.string()).default([]),
  limit: z.int().default(10),
  after: z.union([z.string(), z.int()]).default('0'),
});

export type SearchBody = z.output<typeof searchBody>;

export interface SearchAnswer {
  readonly total: number;
  readonly page: readonly StoredRecord[];
  /** The position at which the next page starts. */
  readonly after: string | undefined;
}

/** The most results of one query that paging can reach. */
const reachableMax = 10_000;
const limitMax = 200;
const filterGroupsMax = 5;
const filtersMax = 18;
const filtersPerGroupMax = 6;
const valuesMax = 100;

/** Searches records as HubSpot does, including its limit: a query returns at most the first 10,000 results. */
export function search(records: Records, body: SearchBody, isIndexed: (id: string) => boolean): SearchAnswer {
  assertWithinLimits(records, body);
  const from = Number(body.after);
  if (from + body.limit > reachableMax) {
    throw invalid('The search endpoints are limited to 10,000 total results for any given query.');
  }
  const groups = body.filterGroups.map(({ filters }) => filters.map(each => matcherOf(records, each)));
  const found = records
    .behind(idsBehind(body))
    .filter(
      record =>
        isIndexed(record.id) &&
        (groups.length === 0 || groups.some(matchers => matchers.every(matches => matches(record.values)))),
    );
  const sorted = sortRecords(records, found, body);
  const end = from + body.limit;
  return {
    total: found.length,
    page: sorted.slice(from, end),
    after: end < found.length ? String(end) : undefined,
  };
}

/** The id that all results must exceed, so that not every record has to be examined. */
function idsBehind({ filterGroups }: SearchBody): number {
  const least = filterGroups.map(({ filters }) =>
    Math.max(
      0,
      ...filters
        .filter(({ propertyName, operator }) => propertyName === 'hs_object_id' && operator === 'GT')
        .map(({ value }) => Number(value) || 0),
    ),
  );
  return least.length === 0 ? 0 : Math.min(...least);
}

function assertWithinLimits(records: Records, { limit, after, filterGroups, sorts }: SearchBody): void {
  const filters = filterGroups.flatMap(group => group.filters);
  if (limit < 0 || limit > limitMax) {
    throw invalid(`limit must be at most ${limitMax}`);
  }
  if (!/^\d+$/.test(String(after))) {
    throw invalid('after is not a valid paging cursor');
  }
  if (
    filterGroups.length > filterGroupsMax ||
    filters.length > filtersMax ||
    filterGroups.some(group => group.filters.length > filtersPerGroupMax)
  ) {
    throw invalid('There are too many filters.');
  }
  if (sorts.length > 1) {
    throw invalid('Only one sort is supported.');
  }
  for (const { propertyName, values = [], value, operator } of filters) {
    if (!records.properties.has(propertyName)) {
      throw new CallRefused(400, {
        category: 'VALIDATION_ERROR',
        message: `There was a problem with the request: property ${propertyName} does not exist`,
      });
    }
    const takesValues = operator === 'IN' || operator === 'NOT_IN';
    const takesNothing = operator === 'HAS_PROPERTY' || operator === 'NOT_HAS_PROPERTY';
    if (
      values.length > valuesMax ||
      (takesValues ? values.length === 0 : !takesNothing && value === undefined)
    ) {
      throw invalid(`The filter ${operator} has too many or too few values.`);
    }
  }
}

type Matches = (values: Readonly<Record<string, string>>) => boolean;

function matcherOf(
  records: Records,
  { propertyName, operator, value = '', highValue = '', values }: Filter,
): Matches {
  const order = orderOf(records, propertyName);
  const wanted = new Set(values);
  const of = (record: Readonly<Record<string, string>>) => record[propertyName] ?? '';
  const isKnown: Matches = record => of(record) !== '';
  const isMoment = ['date', 'datetime'].includes(records.properties.get(propertyName)?.type ?? '');
  const isSame: Matches = record =>
    isMoment ? order(of(record), value) === 0 : of(record).toLowerCase() === value.toLowerCase();
  const tests: Record<Filter['operator'], Matches> = {
    EQ: isSame,
    NEQ: record => isKnown(record) && !isSame(record),
    LT: record => isKnown(record) && order(of(record), value) < 0,
    LTE: record => isKnown(record) && order(of(record), value) <= 0,
    GT: record => isKnown(record) && order(of(record), value) > 0,
    GTE: record => isKnown(record) && order(of(record), value) >= 0,
    BETWEEN: record => isKnown(record) && order(of(record), value) >= 0 && order(of(record), highValue) <= 0,
    // HubSpot indexes text in lower case, but compares the values of these two operators as given.
    IN: record => wanted.has(of(record).toLowerCase()),
    NOT_IN: record => isKnown(record) && !wanted.has(of(record).toLowerCase()),
    HAS_PROPERTY: isKnown,
    NOT_HAS_PROPERTY: record => !isKnown(record),
    CONTAINS_TOKEN: record => hasToken(of(record), value),
    NOT_CONTAINS_TOKEN: record => !hasToken(of(record), value),
  };
  return tests[operator];
}

/** Numbers and times are compared as such, everything else as text. */
function orderOf(records: Records, propertyName: string): (left: string, right: string) => number {
  switch (records.properties.get(propertyName)?.type) {
    case 'number':
      return (left, right) => Number(left) - Number(right);
    case 'date':
    case 'datetime':
      return (left, right) => momentOf(left) - momentOf(right);
    default:
      return (left, right) => (left < right ? -1 : left > right ? 1 : 0);
  }
}

function momentOf(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
}

/** A token is a word; a star in the search text matches any characters. */
function hasToken(text: string, token: string): boolean {
  const pattern = token
    .toLowerCase()
    .split('*')
    .map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const whole = new RegExp(`^${pattern}$`);
  const words = text.toLowerCase().split(/[\s@.,;:/-]+/);
  return whole.test(text.toLowerCase()) || words.some(word => whole.test(word));
}

function sortRecords(records: Records, found: StoredRecord[], { sorts }: SearchBody): StoredRecord[] {
  const [first = 'createdate'] = sorts;
  const propertyName = typeof first === 'string' ? first.replace(/^-/, '') : first.propertyName;
  const isDescending = typeof first === 'string' ? first.startsWith('-') : first.direction === 'DESCENDING';
  // Records are already in order of creation, which is the most common sort order.
  if (propertyName !== 'hs_object_id' && propertyName !== 'createdate') {
    const order = orderOf(records, propertyName);
    found.sort((left, right) => order(left.values[propertyName] ?? '', right.values[propertyName] ?? ''));
  }
  return isDescending ? found.reverse() : found;
}
