import type { PickerOption } from '../../design/looks.ts';
import {
  type Facets,
  type FilterField,
  type Filters,
  type Finding,
  filterFields,
  findingPeople,
  type Vocabulary,
} from './filter-fields.ts';
import { labelOf } from './filter-words.ts';
import { valuesOf } from './search-filters.ts';

/** Returns the values to offer for a field: counted values, other values of the vocabulary, and chosen values. */
export function offeredValues(
  field: FilterField,
  filters: Filters,
  facets: Facets | undefined,
  vocabulary: Vocabulary | undefined,
  { kind }: Pick<Finding, 'kind'> = findingPeople,
): readonly PickerOption[] {
  const facet = field.facet && facets?.[field.facet];
  // The store’s values in the vocabulary are those of people; companies may have none of them.
  const isOfPeople = kind === 'companies' && (field.name === 'industries' || field.name === 'countries');
  const known =
    vocabulary && !isOfPeople && field.name in vocabulary ? vocabulary[field.name as keyof Vocabulary] : [];
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
  return Math.max(0, total - (facets[field.facet]?.unknown ?? total)) / total;
}

/** Returns the filters each of which alone excludes every person: without such a filter there would be matches. */
export function blockingFilters(filters: Filters, facets: Facets): readonly FilterField[] {
  return filterFields.filter(({ name, facet }) => {
    if (!facet || !filters[name]) return false;
    const { values, unknown } = facets[facet] ?? { values: [], unknown: 0 };
    return unknown > 0 || values.some(({ count }) => count > 0);
  });
}
