import type { Schema } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';
import type { PickerOption } from '../../design/picker-option.ts';

export type Filters = Schema['PeopleFilters'];
export type Facets = Schema['PeopleFacets'];
export type FacetName = keyof Facets;
export type Vocabulary = Schema['SearchVocabulary'];

/** A filter of several values. */
export type ValuesFilter = Exclude<keyof Filters, 'job_title_match' | 'keyword_match'>;

/** One thing by which people are filtered, as a person thinks of it. */
export interface FilterField {
  readonly name: ValuesFilter;
  readonly label: string;
  /** The filter by which its values are left out, where there is one. */
  readonly excluded?: ValuesFilter;
  /** The facet that counts its values. */
  readonly facet?: FacetName;
  /** Where any words may be asked for, those that hold them apart when several are pasted. */
  readonly separator?: RegExp;
  readonly hint?: string;
}

/** Titles and names have spaces, domains have none. */
const betweenNames = /[;,\n\t]+/;
const betweenDomains = /[\s;,]+/;

/** Everything by which people can be filtered, in the order in which one thinks of it. */
export const filterGroups: readonly { readonly label: string; readonly fields: readonly FilterField[] }[] = [
  {
    label: 'Person',
    fields: [
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
    label: 'Place',
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
      { name: 'company_types', label: 'Kind of company', facet: 'company_types' },
      {
        name: 'company_names',
        label: 'Company name',
        separator: betweenNames,
        hint: 'Legal forms such as “Inc.” mean nothing.',
      },
      {
        name: 'company_domains',
        label: 'Company domain',
        excluded: 'excluded_company_domains',
        separator: betweenDomains,
        hint: 'Paste as many as you like, for example acme.com.',
      },
    ],
  },
];

export const filterFields: readonly FilterField[] = filterGroups.flatMap(({ fields }) => fields);

const valuesFilters = filterFields.flatMap(({ name, excluded }) => (excluded ? [name, excluded] : [name]));

/** The filters with other values for one; a filter without values is none. */
export function withValues(filters: Filters, name: ValuesFilter, values: readonly string[]): Filters {
  const { [name]: _, ...rest } = filters;
  const next: Filters = values.length > 0 ? { ...rest, [name]: [...values] } : rest;
  if (!next.job_titles && !next.excluded_job_titles) delete next.job_title_match;
  if (!next.keywords) delete next.keyword_match;
  return next;
}

/** The filters that an address of the application names; whatever else stands there is left out. */
export function readFilters(from: unknown): Filters | undefined {
  if (typeof from !== 'object' || from === null || Array.isArray(from)) return undefined;
  const named = from as Readonly<Record<string, unknown>>;
  let filters: Filters = {};
  for (const name of valuesFilters) {
    const values = named[name];
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

/** Whether two filters ask for the same, whatever the order in which they were chosen. */
export function asksTheSame(one: Filters, other: Filters): boolean {
  return fingerprintOf(one) === fingerprintOf(other);
}

function fingerprintOf(filters: Filters): string {
  return JSON.stringify([
    valuesFilters.map(name => [...(filters[name] ?? [])].sort()),
    filters.job_title_match ?? 'similar',
    filters.keyword_match ?? 'any',
  ]);
}

export function hasFilters(filters: Filters): boolean {
  return valuesFilters.some(name => filters[name] !== undefined);
}

/** How people read a value. */
export function labelOf(vocabulary: Vocabulary | undefined, name: ValuesFilter, value: string): string {
  const known = vocabulary && name in vocabulary ? vocabulary[name as keyof Vocabulary] : [];
  return known.find(each => each.value === value)?.label ?? value;
}

/** One value that was chosen. */
export interface ChosenValue {
  readonly field: FilterField;
  readonly filter: ValuesFilter;
  readonly value: string;
  readonly label: string;
  readonly isLeftOut: boolean;
}

/** Every value that was chosen, in the order of the fields. */
export function chosenValues(filters: Filters, vocabulary: Vocabulary | undefined): readonly ChosenValue[] {
  return filterFields.flatMap(field =>
    [field.name, field.excluded].flatMap(filter =>
      (filter ? (filters[filter] ?? []) : []).map(value => ({
        field,
        filter: filter as ValuesFilter,
        value,
        label: labelOf(vocabulary, field.name, value),
        isLeftOut: filter !== field.name,
      })),
    ),
  );
}

const valuesNamedMax = 3;

/** The filters as one would say them: `Job title: CEO or CTO, not Intern · Country: Germany`. */
export function inWords(filters: Filters, vocabulary: Vocabulary | undefined): string {
  const chosen = chosenValues(filters, vocabulary);
  const words = filterFields.flatMap(field => {
    const of = chosen.filter(each => each.field === field);
    const wanted = listed(of.filter(({ isLeftOut }) => !isLeftOut));
    const unwanted = listed(of.filter(({ isLeftOut }) => isLeftOut));
    if (!wanted && !unwanted) return [];
    return [`${field.label}: ${[wanted, unwanted && `not ${unwanted}`].filter(Boolean).join(', ')}`];
  });
  return words.join(' · ') || 'Everybody';
}

function listed(values: readonly ChosenValue[]): string {
  const named = values.slice(0, valuesNamedMax).map(({ label }) => label);
  const more = values.length - named.length;
  return more > 0 ? `${named.join(', ')} or ${more} more` : named.join(' or ');
}

/** What a search for them could be called. */
export function suggestedName(
  filters: Filters,
  vocabulary: Vocabulary | undefined,
  charactersMax: number,
): string {
  const labels = chosenValues(filters, vocabulary)
    .filter(({ isLeftOut }) => !isLeftOut)
    .map(({ label }) => label);
  const name = [...new Set(labels)].slice(0, valuesNamedMax + 1).join(', ') || 'Everybody';
  return name.length > charactersMax ? `${name.slice(0, charactersMax - 1).trimEnd()}…` : name;
}

/** What the API finds wrong with values of a filter, each with the value that it means. */
export interface FilterFault {
  readonly filter: string;
  /** Undefined where the filter as a whole is meant. */
  readonly index: number | undefined;
  readonly sentence: string;
}

export function filterFaults(problem: ProblemError | undefined): readonly FilterFault[] {
  return (problem?.faults ?? []).flatMap(({ pointer, detail }) => {
    const [, filter, index] = /^\/filters\/([a-z_]+)(?:\/(\d+))?$/.exec(pointer) ?? [];
    if (!filter) return [];
    return [{ filter, index: index === undefined ? undefined : Number(index), sentence: detail }];
  });
}

/** The values that are offered for a field: what was counted, what else the vocabulary has, and what was chosen. */
export function offeredValues(
  field: FilterField,
  filters: Filters,
  facets: Facets | undefined,
  vocabulary: Vocabulary | undefined,
): readonly PickerOption[] {
  const facet = field.facet && facets?.[field.facet];
  const known = vocabulary && field.name in vocabulary ? vocabulary[field.name as keyof Vocabulary] : [];
  const chosen = [...(filters[field.name] ?? []), ...(field.excluded ? (filters[field.excluded] ?? []) : [])];
  const counts = new Map(facet?.values.map(({ value, count }) => [value, count]));
  const offered = new Set([...counts.keys(), ...known.map(({ value }) => value)]);
  // What was asked for in one's own words stands first, where it is found again.
  // Where everything was counted, what is not there finds nobody; words that may mean several titles are no count of one.
  const uncounted = facet && !facet.more && !field.separator ? 0 : undefined;
  return [...chosen.filter(value => !offered.has(value)), ...offered].map(value => ({
    value,
    label: labelOf(vocabulary, field.name, value),
    count: counts.get(value) ?? uncounted,
  }));
}

/** Of how many of the people a field is known, between 0 and 1. */
export function knownShare(field: FilterField, filters: Filters, facets: Facets, total: number): number {
  if (!field.facet || total === 0) return 0;
  // Whoever is found by a value of the field is known to have it.
  if (filters[field.name]) return 1;
  return Math.max(0, total - facets[field.facet].unknown) / total;
}

/** Fields of which one alone keeps everybody away: without it there would be people. */
export function fieldsInTheWay(filters: Filters, facets: Facets): readonly FilterField[] {
  return filterFields.filter(({ name, facet }) => {
    if (!facet || !filters[name]) return false;
    const { values, unknown } = facets[facet];
    return unknown > 0 || values.some(({ count }) => count > 0);
  });
}
