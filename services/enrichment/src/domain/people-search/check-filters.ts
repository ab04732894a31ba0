import type { ClosedFacet, PeopleFacetName, PeopleFilters } from '@mailproof/shared-types';
import {
  companySizes,
  companyTypes,
  departments,
  revenues,
  seniorities,
} from '@mailproof/shared-types/vocabularies';
import { keyOfText } from './columns/column.ts';
import type { UnknownFilterValue } from './people-index.ts';

export const closedVocabularies: Readonly<Record<ClosedFacet, readonly string[]>> = {
  seniorities,
  departments,
  company_sizes: companySizes,
  revenues,
  company_types: companyTypes,
};

/** Filters whose values must be in the store; a free-text filter without a match finds no people. */
const storeVocabularies = ['industries', 'countries', 'regions', 'cities'] as const;

type StoreVocabularyName = (typeof storeVocabularies)[number];

/** The values of a vocabulary in the store. */
export interface KnownValues {
  has(value: string): boolean;
  /** Returns all values, each with its synonyms. */
  all(): Iterable<readonly string[]>;
}

/** The maximum number of unknown values in one answer; finding suggestions requires a scan of all known values. */
const unknownMax = 10;

/**
 * Returns the filter values that are in no vocabulary, in the order of the filters. Seniority, department, company
 * size, revenue and company type have fixed vocabularies; industry, country, region and city use the values in the
 * store. An unknown value is refused, never ignored: a search that silently means something else is charged like any
 * other. Values in `read` were read as known ones.
 */
export function unknownValues(
  filters: PeopleFilters,
  known: Readonly<Record<StoreVocabularyName, KnownValues>>,
  read: readonly Pick<UnknownFilterValue, 'pointer'>[] = [],
): readonly UnknownFilterValue[] {
  const unknown: UnknownFilterValue[] = [];
  for (const [name, values] of Object.entries(filters)) {
    if (!Array.isArray(values)) {
      continue;
    }
    for (const [index, value] of values.entries()) {
      const pointer = `/${name}/${index}`;
      const isRead = read.some(each => each.pointer === pointer);
      const answer = isRead ? undefined : unknownValue(vocabularyOf(name), value, known);
      if (answer && unknown.length < unknownMax) {
        unknown.push({ pointer, value, ...answer });
      }
    }
  }
  return unknown;
}

/** The filter that excludes values of a facet. */
export function excludedOf<Name extends PeopleFacetName>(name: Name) {
  return `excluded_${name}` as const satisfies keyof PeopleFilters;
}

/** The filter that a filter excludes values of, or itself. */
export function vocabularyOf(filter: string): string {
  return filter.replace(/^excluded_/, '');
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

/** The maximum number of suggestions. */
const nearestMax = 5;
/** The maximum share of a value's letters by which a suggestion may differ. */
const differencesMax = 0.5;

/**
 * Returns the known values nearest to an unknown one, nearest first: those that share its beginning, contain its words,
 * or differ in few letters. Each known value comes with synonyms; the first one is returned.
 */
export function nearestValues(value: string, known: Iterable<readonly string[]>): readonly string[] {
  const asked = keyOfText(value);
  const nearest: { value: string; distance: number }[] = [];
  for (const words of known) {
    const farthest = nearest.length < nearestMax ? differencesMax : (nearest.at(-1)?.distance ?? 0);
    const distance = Math.min(...words.map(each => distanceOf(asked, keyOfText(each), farthest)));
    if (distance < farthest || (nearest.length < nearestMax && distance <= differencesMax)) {
      const index = nearest.findIndex(each => each.distance > distance);
      nearest.splice(index < 0 ? nearest.length : index, 0, { value: words[0] ?? '', distance });
      nearest.length = Math.min(nearest.length, nearestMax);
    }
  }
  return nearest.map(each => each.value);
}

/** Returns 0 (equal) to 1 (nothing in common), or infinity if the distance exceeds `farthest`. */
function distanceOf(asked: string, known: string, farthest: number): number {
  if (asked === known) {
    return 0;
  }
  if (asked.length >= 3 && (known.startsWith(asked) || ` ${known} `.includes(` ${asked} `))) {
    return 0.1;
  }
  if (known.length >= 3 && ` ${asked} `.includes(` ${known} `)) {
    return 0.2;
  }
  const length = Math.max(asked.length, known.length);
  const editsMax = Math.floor(farthest * length);
  const edits = editsBetween(asked, known, editsMax);
  return edits > editsMax ? Number.POSITIVE_INFINITY : edits / length;
}

/** Returns the Levenshtein distance, or a number above `editsMax` if the distance exceeds it. */
function editsBetween(one: string, other: string, editsMax: number): number {
  if (Math.abs(one.length - other.length) > editsMax) {
    return editsMax + 1;
  }
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const edits = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(edits);
      least = Math.min(least, edits);
    }
    if (least > editsMax) {
      return editsMax + 1;
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
