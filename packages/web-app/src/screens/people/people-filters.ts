import { limits } from '@mailproof/shared-types';
import type { ProblemError } from '../../api/problem.ts';
import {
  type FilterName,
  type Filters,
  filterNames,
  isYears,
  type ValuesFilter,
  type Years,
  type YearsFilter,
} from './filter-fields.ts';

/** Returns the chosen values of a filter; a range of years is one value. */
export function valuesOf(filters: Filters, name: FilterName): readonly string[] {
  if (!isYears(name)) return filters[name] ?? [];
  const years = filters[name];
  if (!years) return [];
  const { min, max } = years;
  if (min === max) return [`in ${min}`];
  return [[min !== undefined && `from ${min}`, max !== undefined && `to ${max}`].filter(Boolean).join(' ')];
}

/** Returns the filters with another range of years; a range without an end is removed. */
export function withYears(filters: Filters, name: YearsFilter, { min, max }: Years): Filters {
  const { [name]: _, ...rest } = filters;
  if (min === undefined && max === undefined) return rest;
  return { ...rest, [name]: { ...(min !== undefined && { min }), ...(max !== undefined && { max }) } };
}

/** Returns the filters without one of them. */
export function without(filters: Filters, name: FilterName): Filters {
  return isYears(name) ? withYears(filters, name, {}) : withValues(filters, name, []);
}

/** Returns the filters without a value. */
export function withoutValue(filters: Filters, name: FilterName, value: string): Filters {
  if (isYears(name)) return without(filters, name);
  const kept = valuesOf(filters, name).filter(each => each !== value);
  return withValues(filters, name, kept);
}

/** Returns the filters with new values for one of them; a filter without values is removed. */
export function withValues(filters: Filters, name: ValuesFilter, values: readonly string[]): Filters {
  const { [name]: _, ...rest } = filters;
  const next: Filters = values.length > 0 ? { ...rest, [name]: [...values] } : rest;
  if (!next.job_titles && !next.excluded_job_titles) delete next.job_title_match;
  if (!next.keywords) delete next.keyword_match;
  return next;
}

/** Reads the filters of a URL; ignores everything else in it. */
export function readFilters(from: unknown): Filters | undefined {
  if (typeof from !== 'object' || from === null || Array.isArray(from)) return undefined;
  const named = from as Readonly<Record<string, unknown>>;
  let filters: Filters = {};
  for (const name of filterNames) {
    const values = named[name];
    if (isYears(name)) {
      filters = withYears(filters, name, readYears(values));
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
  return filters;
}

function readYears(from: unknown): Years {
  if (typeof from !== 'object' || from === null) return {};
  const { min, max } = from as Readonly<Record<string, unknown>>;
  return { ...(isYear(min) && { min }), ...(isYear(max) && { max }) };
}

export function isYear(value: unknown): value is number {
  return (
    Number.isInteger(value) &&
    Number(value) >= limits.foundedYearMin &&
    Number(value) <= limits.foundedYearMax
  );
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
    // A range of years is one value.
    return [{ filter, index: index === undefined ? undefined : Number(index) || 0, sentence: detail }];
  });
}
