import {
  type ClosedFacet,
  companySizes,
  companyTypes,
  departments,
  type PeopleFilters,
  revenues,
  seniorities,
} from '@mailproof/shared-types';
import { nearestValues } from './nearest-values.ts';
import type { UnknownFilterValue } from './people-index.ts';

export const closedVocabularies: Readonly<Record<ClosedFacet, readonly string[]>> = {
  seniorities,
  departments,
  company_sizes: companySizes,
  revenues,
  company_types: companyTypes,
};

/** Filters whose values the store has to hold; those by free text that finds nobody simply find nobody. */
export const storeVocabularies = ['industries', 'countries', 'regions', 'cities'] as const;

export type StoreVocabularyName = (typeof storeVocabularies)[number];

/** What the store holds of a vocabulary. */
export interface KnownValues {
  has(value: string): boolean;
  /** All of them, each with other words for it by which somebody may have meant it. */
  all(): Iterable<readonly string[]>;
}

/** Unknown values that one answer names; finding what was meant takes a look at all that is known. */
const unknownMax = 10;

/**
 * The values that no vocabulary has, in the order of the filters: of seniority, department, company size, revenue and
 * company type by the fixed vocabularies; of industry, country, region and city by what the store holds. An unknown value
 * is refused and never ignored: a search that silently means something else is charged like any other.
 */
export function unknownValues(
  filters: PeopleFilters,
  known: Readonly<Record<StoreVocabularyName, KnownValues>>,
): readonly UnknownFilterValue[] {
  const unknown: UnknownFilterValue[] = [];
  for (const [name, values] of Object.entries(filters)) {
    if (!Array.isArray(values)) {
      continue;
    }
    for (const [index, value] of values.entries()) {
      const answer = unknownValue(name, value, known);
      if (answer && unknown.length < unknownMax) {
        unknown.push({ pointer: `/${name}/${index}`, value, ...answer });
      }
    }
  }
  return unknown;
}

function unknownValue(
  name: string,
  value: string,
  known: Readonly<Record<StoreVocabularyName, KnownValues>>,
): Pick<UnknownFilterValue, 'known' | 'isWhole'> | undefined {
  if (Object.hasOwn(closedVocabularies, name)) {
    const vocabulary = closedVocabularies[name as ClosedFacet];
    return vocabulary.includes(value) ? undefined : { known: vocabulary, isWhole: true };
  }
  if (Object.hasOwn(known, name)) {
    const held = known[name as StoreVocabularyName];
    return held.has(value) ? undefined : { known: nearestValues(value, held.all()), isWhole: false };
  }
  return undefined;
}
