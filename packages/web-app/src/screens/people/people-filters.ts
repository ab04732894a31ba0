import { limits } from '@mailproof/shared-types';
import { keptInBrowser } from '../../api/browser-session.ts';
import type { Schema } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';
import type { PickerOption } from '../../design/looks.ts';

export type Filters = Schema['PeopleFilters'];
export type Facets = Schema['PeopleFacets'];
type FacetName = keyof Facets;
/** The values of filters that are chosen from a set, with their names. */
export type Vocabulary = Schema['SearchVocabulary'] & {
  readonly saved_lists: Schema['SearchVocabulary']['seniorities'];
};

/** A filter that is more than an option of another one. */
export type FilterName = Exclude<keyof Filters, 'job_title_match' | 'keyword_match'>;
/** A filter with a range of years. */
export type YearsFilter = 'company_founded';
/** A filter with a list of values. */
export type ValuesFilter = Exclude<FilterName, YearsFilter>;
export interface Years {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A field by which users filter people. */
export interface FilterField {
  readonly name: FilterName;
  readonly label: string;
  /** The filter that excludes values of the field, if there is one. */
  readonly excluded?: ValuesFilter;
  /** The facet that counts its values. */
  readonly facet?: FacetName;
  /** If the field takes free text, the separator between several pasted values. */
  readonly separator?: RegExp;
  readonly hint?: string;
  /** The hint if there is no value to choose. */
  readonly hintWithout?: string;
}

/** A name of a person can contain a comma: `Lovelace, Ada`. */
const betweenPeople = /[;\n\t]+/;
/** Titles and names can contain spaces, domains cannot. */
const betweenNames = /[;,\n\t]+/;
const betweenDomains = /[\s;,]+/;

/** All filter fields for people, in a natural order for users. */
export const filterGroups: readonly { readonly label: string; readonly fields: readonly FilterField[] }[] = [
  {
    label: 'Person',
    fields: [
      {
        name: 'person_names',
        label: 'Name',
        separator: betweenPeople,
        hint: 'A whole name, or how its words begin: “ada l”.',
      },
      {
        name: 'job_titles',
        label: 'Job title',
        excluded: 'excluded_job_titles',
        facet: 'job_titles',
        separator: betweenNames,
      },
      { name: 'seniorities', label: 'Seniority', facet: 'seniorities' },
      { name: 'departments', label: 'Department', facet: 'departments' },
      { name: 'keywords', label: 'Keyword', facet: 'keywords', separator: betweenNames },
    ],
  },
  {
    label: 'Location',
    fields: [
      { name: 'countries', label: 'Country', facet: 'countries' },
      { name: 'regions', label: 'Region', facet: 'regions', separator: betweenNames },
      { name: 'cities', label: 'City', facet: 'cities', separator: betweenNames },
    ],
  },
  {
    label: 'Company',
    fields: [
      { name: 'industries', label: 'Industry', facet: 'industries' },
      { name: 'company_sizes', label: 'Employees', facet: 'company_sizes' },
      { name: 'revenues', label: 'Annual revenue', facet: 'revenues' },
      { name: 'company_types', label: 'Company type', facet: 'company_types' },
      {
        name: 'company_technologies',
        label: 'Technology',
        excluded: 'excluded_company_technologies',
        facet: 'company_technologies',
        separator: betweenNames,
      },
      {
        name: 'company_founded',
        label: 'Founded',
        hint: 'Companies whose year is unknown do not match.',
      },
      {
        name: 'company_names',
        label: 'Company name',
        separator: betweenNames,
        hint: 'Legal forms such as “Inc.” are ignored.',
      },
      {
        name: 'company_domains',
        label: 'Company domain',
        excluded: 'excluded_company_domains',
        separator: betweenDomains,
        hint: 'Paste any number of domains, for example acme.com.',
      },
    ],
  },
  {
    label: 'Saved',
    fields: [
      {
        name: 'saved_lists',
        label: 'Saved list',
        excluded: 'excluded_saved_lists',
        hint: 'People on a list, or at the companies and domains on a list.',
        hintWithout:
          'You have no lists yet. Create one under Saved, for example with the domains of your customers.',
      },
    ],
  },
];

export const filterFields: readonly FilterField[] = filterGroups.flatMap(({ fields }) => fields);

const filterNames = filterFields.flatMap(({ name, excluded }) => (excluded ? [name, excluded] : [name]));

export function isYears(name: FilterName): name is YearsFilter {
  return name === 'company_founded';
}

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

/** Returns the display name of a value. */
export function labelOf(vocabulary: Vocabulary | undefined, name: FilterName, value: string): string {
  const known = vocabulary && name in vocabulary ? vocabulary[name as keyof Vocabulary] : [];
  return known.find(each => each.value === value)?.label ?? value;
}

/** One value that was chosen. */
interface ChosenValue {
  readonly field: FilterField;
  readonly filter: FilterName;
  readonly value: string;
  readonly label: string;
  readonly isLeftOut: boolean;
}

/** Returns every chosen value, in the order of the fields. */
export function chosenValues(filters: Filters, vocabulary: Vocabulary | undefined): readonly ChosenValue[] {
  return filterFields.flatMap(field =>
    [field.name, field.excluded].flatMap(filter =>
      (filter ? valuesOf(filters, filter) : []).map(value => ({
        field,
        filter: filter as FilterName,
        value,
        label: labelOf(vocabulary, field.name, value),
        isLeftOut: filter !== field.name,
      })),
    ),
  );
}

const valuesNamedMax = 3;

/** Describes the filters: `Job title: CEO or CTO, not Intern · Country: Germany`. */
export function inWords(filters: Filters, vocabulary: Vocabulary | undefined): string {
  const chosen = chosenValues(filters, vocabulary);
  const words = filterFields.flatMap(field => {
    const of = chosen.filter(each => each.field === field);
    const wanted = listed(of.filter(({ isLeftOut }) => !isLeftOut));
    const unwanted = listed(of.filter(({ isLeftOut }) => isLeftOut));
    if (!wanted && !unwanted) return [];
    return [`${field.label}: ${[wanted, unwanted && `not ${unwanted}`].filter(Boolean).join(', ')}`];
  });
  return words.join(' · ') || 'Everyone';
}

function listed(values: readonly ChosenValue[]): string {
  const named = values.slice(0, valuesNamedMax).map(({ label }) => label);
  const more = values.length - named.length;
  return more > 0 ? `${named.join(', ')} or ${more} more` : named.join(' or ');
}

/** Suggests a name for a search with the filters. */
export function suggestedName(
  filters: Filters,
  vocabulary: Vocabulary | undefined,
  charactersMax: number,
): string {
  const labels = chosenValues(filters, vocabulary)
    .filter(({ isLeftOut }) => !isLeftOut)
    .map(({ label }) => label);
  const name = [...new Set(labels)].slice(0, valuesNamedMax + 1).join(', ') || 'Everyone';
  return name.length > charactersMax ? `${name.slice(0, charactersMax - 1).trimEnd()}…` : name;
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

/** Returns the values to offer for a field: counted values, other values of the vocabulary, and chosen values. */
export function offeredValues(
  field: FilterField,
  filters: Filters,
  facets: Facets | undefined,
  vocabulary: Vocabulary | undefined,
): readonly PickerOption[] {
  const facet = field.facet && facets?.[field.facet];
  const known = vocabulary && field.name in vocabulary ? vocabulary[field.name as keyof Vocabulary] : [];
  const chosen = [field.name, field.excluded].flatMap(name => (name ? valuesOf(filters, name) : []));
  const counts = new Map(facet?.values.map(({ value, count }) => [value, count]));
  const offered = new Set([...counts.keys(), ...known.map(({ value }) => value)]);
  // Free text comes first, so that the user can find it. If every value was counted, a missing value matches no one.
  // Free text that can match several titles has no count.
  const uncounted = facet && !facet.more && !field.separator ? 0 : undefined;
  return [...chosen.filter(value => !offered.has(value)), ...offered].map(value => ({
    value,
    label: labelOf(vocabulary, field.name, value),
    count: counts.get(value) ?? uncounted,
  }));
}

/** Returns the share of people for whom a field is known, between 0 and 1. */
export function knownShare(field: FilterField, filters: Filters, facets: Facets, total: number): number {
  if (!field.facet || total === 0) return 0;
  // If a filter requires a value of the field, every match has one.
  if (filters[field.name]) return 1;
  return Math.max(0, total - facets[field.facet].unknown) / total;
}

/** Returns the filters each of which alone excludes every person: without such a filter there would be matches. */
export function blockingFilters(filters: Filters, facets: Facets): readonly FilterField[] {
  return filterFields.filter(({ name, facet }) => {
    if (!facet || !filters[name]) return false;
    const { values, unknown } = facets[facet];
    return unknown > 0 || values.some(({ count }) => count > 0);
  });
}

/** The filters of an unsaved search are in the URL, so that links and reloads keep them. */
export interface TriedFilters {
  filters?: Filters | undefined;
  /** Whether the filters are too long for a URL and are therefore stored in `sessionStorage`. */
  kept?: true | undefined;
}

/** The server would refuse a longer URL when the page is reloaded. */
const charactersMax = 5_000;

/** Reads the unsaved filters from a URL. */
export function readTried(search: Readonly<Record<string, unknown>>): TriedFilters {
  return { filters: readFilters(search['filters']), kept: search['kept'] === true || undefined };
}

/** Returns the unsaved filters, from the URL or from `sessionStorage`. */
export function triedFilters({ filters, kept }: TriedFilters, storage: Storage): Filters | undefined {
  if (!kept) return filters;
  try {
    return readFilters(JSON.parse(storage.getItem(keptInBrowser.triedFilters) ?? 'null'));
  } catch {
    return undefined;
  }
}

/** Returns the query parameters for unsaved filters. */
export function addressOf(filters: Filters | undefined): TriedFilters {
  return isTooLong(filters) ? { filters: undefined, kept: true } : { filters, kept: undefined };
}

/** Stores the filters in `sessionStorage` if they are too long for a URL, and returns the query parameters. */
export function keepTried(filters: Filters | undefined, storage: Storage): TriedFilters {
  if (isTooLong(filters)) storage.setItem(keptInBrowser.triedFilters, JSON.stringify(filters));
  return addressOf(filters);
}

function isTooLong(filters: Filters | undefined): boolean {
  return filters !== undefined && encodeURIComponent(JSON.stringify(filters)).length > charactersMax;
}
