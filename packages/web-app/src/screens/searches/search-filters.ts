import { limits } from '@mailproof/shared-types';
import type { ProblemError } from '../../api/problem.ts';
import { formatDollars } from '../../design/format.ts';
import {
  type FilterName,
  type Filters,
  filterNames,
  isRange,
  type Range,
  type RangeFilter,
  type ValuesFilter,
} from './filter-fields.ts';

/** Returns the chosen values of a filter; a range is one value. */
export function valuesOf(filters: Filters, name: FilterName): readonly string[] {
  if (!isRange(name)) return filters[name] ?? [];
  const range = filters[name];
  if (!range) return [];
  const { words } = rangeKind(name);
  const { min, max } = range;
  if (min !== undefined && min === max) return [`in ${words(min)}`];
  return [
    [min !== undefined && `from ${words(min)}`, max !== undefined && `to ${words(max)}`]
      .filter(Boolean)
      .join(' '),
  ];
}

/** Returns the filters with another range; a range without an end is removed. */
export function withRange(filters: Filters, name: RangeFilter, { min, max }: Range): Filters {
  const { [name]: _, ...rest } = filters;
  if (min === undefined && max === undefined) return rest;
  return { ...rest, [name]: { ...(min !== undefined && { min }), ...(max !== undefined && { max }) } };
}

/** The numbers of a range, as users write and read them. */
export interface RangeKind {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly words: (number: number) => string;
  /** Undefined if the text is no number of the range, or not yet. */
  readonly read: (text: string) => number | undefined;
  readonly fault: string;
}

const years: RangeKind = {
  label: 'year',
  ...{ min: limits.foundedYearMin, max: limits.foundedYearMax },
  words: String,
  // A year is part of the filter as soon as all its digits are there.
  read: text => within(years, /^\d{4}$/.test(text) ? Number(text) : undefined),
  fault: `Enter a year from ${limits.foundedYearMin} to ${limits.foundedYearMax}.`,
};

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

const dollars: RangeKind = {
  label: 'dollars',
  ...{ min: 0, max: limits.fundingUsdMax },
  words: formatDollars,
  read(text) {
    const [, digits = '', unit = ''] =
      /^\$?\s?((?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?)\s?([kmb]?)$/i.exec(text) ?? [];
    const amount = Number(digits.replaceAll(',', '')) * (units[unit.toLowerCase()] ?? 1);
    return within(dollars, digits === '' ? undefined : Math.round(amount));
  },
  fault: `Enter an amount in US dollars, such as 500000 or 5m, up to ${formatDollars(limits.fundingUsdMax)}.`,
};

export function rangeKind(name: RangeFilter): RangeKind {
  return name.endsWith('funding') ? dollars : years;
}

function within({ min, max }: RangeKind, number: unknown): number | undefined {
  const isWithin = Number.isInteger(number) && Number(number) >= min && Number(number) <= max;
  return isWithin ? Number(number) : undefined;
}

/** Returns the filters without one of them. */
export function without(filters: Filters, name: FilterName): Filters {
  return isRange(name) ? withRange(filters, name, {}) : withValues(filters, name, []);
}

/** Returns the filters without a value. */
export function withoutValue(filters: Filters, name: FilterName, value: string): Filters {
  if (isRange(name)) return without(filters, name);
  const kept = valuesOf(filters, name).filter(each => each !== value);
  return withValues(filters, name, kept);
}

/** Returns the filters with new values for one of them; a filter without values is removed. */
export function withValues(filters: Filters, name: ValuesFilter, values: readonly string[]): Filters {
  const { [name]: _, ...rest } = filters;
  const next: Filters = values.length > 0 ? { ...rest, [name]: [...values] } : rest;
  if (!next.job_titles && !next.excluded_job_titles) delete next.job_title_match;
  if (!next.keywords) delete next.keyword_match;
  if (!next.keywords && !next.excluded_keywords) delete next.keyword_terms;
  return next;
}

/** Reads the filters of a URL; ignores everything else in it. */
export function readFilters(from: unknown): Filters | undefined {
  if (typeof from !== 'object' || from === null || Array.isArray(from)) return undefined;
  const named = from as Readonly<Record<string, unknown>>;
  let filters: Filters = {};
  for (const name of filterNames) {
    const values = named[name];
    if (isRange(name)) {
      filters = withRange(filters, name, readRange(rangeKind(name), values));
      continue;
    }
    if (!Array.isArray(values)) continue;
    filters = withValues(filters, name, [
      ...new Set(values.filter(value => typeof value === 'string' && value !== '') as string[]),
    ]);
  }
  if (named['job_title_match'] === 'exact' && (filters.job_titles || filters.excluded_job_titles)) {
    filters.job_title_match = 'exact';
  }
  if (named['keyword_match'] === 'all' && filters.keywords) filters.keyword_match = 'all';
  if (named['keyword_terms'] === 'words' && (filters.keywords || filters.excluded_keywords)) {
    filters.keyword_terms = 'words';
  }
  return filters;
}

function readRange(kind: RangeKind, from: unknown): Range {
  if (typeof from !== 'object' || from === null) return {};
  const { min, max } = from as Readonly<Record<string, unknown>>;
  return { min: within(kind, min), max: within(kind, max) };
}

/** Whether two sets of filters are equal, regardless of the order of their values. */
export function areSameFilters(one: Filters, other: Filters): boolean {
  return fingerprintOf(one) === fingerprintOf(other);
}

function fingerprintOf(filters: Filters): string {
  return JSON.stringify([
    filterNames.map(name => [...valuesOf(filters, name)].sort()),
    filters.job_title_match ?? 'similar',
    filters.keyword_match ?? 'any',
    filters.keyword_terms ?? 'whole',
  ]);
}

/** A fault that the API found in a filter, with the value that it concerns. */
export interface FilterFault {
  readonly filter: string;
  /** The position of the value; undefined if the fault concerns the whole filter. */
  readonly index: number | undefined;
  readonly sentence: string;
}

export function filterFaults(problem: ProblemError | undefined): readonly FilterFault[] {
  return (problem?.faults ?? []).flatMap(({ pointer, detail }) => {
    const [, filter, index] = /^\/filters\/([a-z_]+)(?:\/(\d+|min|max))?$/.exec(pointer) ?? [];
    if (!filter) return [];
    // The picker sends no other range that is not valid.
    if (index === 'max') return [{ filter, index: 0, sentence: 'The end must not be below the start.' }];
    return [{ filter, index: index === undefined ? undefined : Number(index) || 0, sentence: detail }];
  });
}
