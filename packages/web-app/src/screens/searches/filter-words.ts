import { countryName } from '../saved/words.ts';
import {
  type FilterField,
  type FilterName,
  type Filters,
  filterFields,
  findingPeople,
  isRange,
  type Vocabulary,
} from './filter-fields.ts';
import { valuesOf } from './search-filters.ts';

/** Returns the display name of a value. */
export function labelOf(vocabulary: Vocabulary | undefined, filter: string, value: string): string {
  const name = filter.replace(/^excluded_/, '');
  const known = vocabulary && name in vocabulary ? vocabulary[name as keyof Vocabulary] : [];
  const label = known.find(each => each.value === value)?.label;
  // The vocabulary has the countries of people; companies can be elsewhere.
  return label ?? (name === 'countries' && /^[A-Z]{2}$/.test(value) ? countryName(value) : value);
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
export function inWords(
  filters: Filters,
  vocabulary: Vocabulary | undefined,
  all = findingPeople.all,
): string {
  const chosen = chosenValues(filters, vocabulary);
  const words = filterFields.flatMap(field => {
    const of = chosen.filter(each => each.field === field);
    const wanted = listed(of.filter(({ isLeftOut }) => !isLeftOut));
    const unwanted = listed(of.filter(({ isLeftOut }) => isLeftOut));
    if (!wanted && !unwanted) return [];
    return [`${field.label}: ${[wanted, unwanted && `not ${unwanted}`].filter(Boolean).join(', ')}`];
  });
  return words.join(' · ') || all;
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
  all = findingPeople.all,
): string {
  const labels = chosenValues(filters, vocabulary)
    .filter(({ isLeftOut }) => !isLeftOut)
    .map(({ field, label }) => (isRange(field.name) ? `${field.label} ${label}` : label));
  const name = [...new Set(labels)].slice(0, valuesNamedMax + 1).join(', ') || all;
  return name.length > charactersMax ? `${name.slice(0, charactersMax - 1).trimEnd()}…` : name;
}
