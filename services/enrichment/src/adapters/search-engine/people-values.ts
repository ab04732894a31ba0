import { type OpenFacet, openFacets, type PeopleFacets, type PeopleFilters } from '@mailproof/shared-types';
import { LRUCache } from 'lru-cache';
import { excludedOf, unknownValues, vocabularyOf } from '../../domain/people-search/check-filters.ts';
import { countryName } from '../../domain/people-search/labels.ts';
import { namedFilters, otherNames, readOtherNames } from '../../domain/people-search/other-names.ts';
import {
  type StoreVocabulary,
  UnknownFilterValues,
  type VocabularyEntry,
} from '../../domain/people-search/people-index.ts';
import { keyOf, type SearchDocument } from '../../domain/people-search/search-document.ts';
import type { SearchEngine } from './open-engine.ts';
import { searchAll } from './search-all.ts';

const checkedFacets = ['industries', 'countries', 'regions', 'cities'] as const;
type CheckedFacet = (typeof checkedFacets)[number];

const spellingsMax = 200_000;
const vocabularyMax = 1_000;
/** Suggestions for an unknown value are taken from so many of the most frequent ones. */
const comparedMax = 10_000;

interface Key {
  readonly facet: OpenFacet;
  readonly key: string;
}

interface SpellingAnswer {
  readonly hits: {
    readonly hits: readonly {
      readonly _source: { readonly spelled?: Partial<SearchDocument['spelled']> };
    }[];
  };
}

interface ValuesAnswer {
  readonly aggregations: Readonly<
    Record<string, { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] }>
  >;
}

/** The values of open facets in the engine: it counts their keys, and people see one of their spellings. */
export class PeopleValues {
  private readonly engine: SearchEngine;
  private readonly alias: string;
  private readonly timeoutMs: number;
  private readonly spellings = new LRUCache<string, string>({ max: spellingsMax });

  constructor(engine: SearchEngine, alias: string, timeoutMs: number) {
    this.engine = engine;
    this.alias = alias;
    this.timeoutMs = timeoutMs;
  }

  /** Replaces keys with spellings; among equal counts the spellings are in order. */
  async spell(facets: PeopleFacets): Promise<PeopleFacets> {
    const keys = openFacets.flatMap(facet =>
      facets[facet].values.map(({ value }) => ({ facet, key: value })),
    );
    await this.learn(keys);
    return {
      ...facets,
      ...(Object.fromEntries(
        openFacets.map(facet => [
          facet,
          { ...facets[facet], values: this.inOrder(facet, facets[facet].values) },
        ]),
      ) as Pick<PeopleFacets, OpenFacet>),
    };
  }

  /**
   * Reads values that the index does not have as their other names that it has. Throws `UnknownFilterValues` if a filter
   * has a value that is in no vocabulary.
   */
  async readKnown(filters: PeopleFilters): Promise<ReturnType<typeof readOtherNames>> {
    const asked = checkedFacets.flatMap(facet =>
      [...(filters[facet] ?? []), ...(filters[excludedOf(facet)] ?? [])].map(value => ({
        facet,
        key: keyOf(facet, value),
      })),
    );
    await this.learn(asked);
    await this.learn(
      namedFilters.flatMap(facet =>
        [...(filters[facet] ?? []), ...(filters[excludedOf(facet)] ?? [])]
          .filter(value => !this.spellings.has(idOf({ facet, key: keyOf(facet, value) })))
          .flatMap(value => otherNames(facet, value, filters.countries).flat())
          .map(name => ({ facet, key: keyOf(facet, name) })),
      ),
    );
    const has = (facet: CheckedFacet) => (value: string) =>
      this.spellings.has(idOf({ facet, key: keyOf(facet, value) }));
    const answer = readOtherNames(filters, {
      countries: { has: has('countries') },
      regions: { has: has('regions') },
    });
    const compared: Partial<Record<CheckedFacet, readonly string[]>> = {};
    for (const { facet, key } of asked) {
      if (!this.spellings.has(idOf({ facet, key }))) {
        compared[facet] ??= ((await this.mostFrequent([facet], comparedMax))[facet] ?? []).map(
          ({ value }) => value,
        );
      }
    }
    const known = (facet: CheckedFacet, wordsOf = (value: string) => [value]) => ({
      has: has(facet),
      all: () => (compared[facet] ?? []).map(wordsOf),
    });
    const vocabularies = {
      industries: known('industries'),
      countries: known('countries', code => [code, countryName(code.toUpperCase())]),
      regions: known('regions'),
      cities: known('cities'),
    };
    const unknown = unknownValues(filters, vocabularies, answer.read);
    if (unknown.length === 0) {
      return answer;
    }
    const nearest = unknown.flatMap(({ pointer, known: keys }) => {
      const facet = facetAt(pointer);
      return facet ? keys.map(key => ({ facet, key })) : [];
    });
    await this.learn(nearest);
    throw new UnknownFilterValues(
      unknown.map(each => {
        const facet = facetAt(each.pointer);
        return facet ? { ...each, known: each.known.map(key => this.spellingOf({ facet, key })) } : each;
      }),
    );
  }

  async vocabulary(): Promise<StoreVocabulary> {
    const { industries = [], countries = [] } = await this.mostFrequent(
      ['industries', 'countries'],
      vocabularyMax,
    );
    await this.learn([
      ...industries.map(({ value }) => ({ facet: 'industries' as const, key: value })),
      ...countries.map(({ value }) => ({ facet: 'countries' as const, key: value })),
    ]);
    return {
      industries: this.inOrder('industries', industries),
      countries: this.inOrder('countries', countries),
    };
  }

  /** Looks up the spellings of keys that are not known yet: any person who has the value tells. */
  private async learn(keys: readonly Key[]): Promise<void> {
    const wanted = new Map(keys.map(each => [idOf(each), each]));
    const unknown = [...wanted]
      .filter(([id]) => this.spellings.get(id) === undefined)
      .map(([, each]) => each);
    if (unknown.length === 0) {
      return;
    }
    const answers = await searchAll<SpellingAnswer>(
      this.engine,
      this.alias,
      unknown.map(({ facet, key }) => ({
        size: 1,
        track_total_hits: false,
        terminate_after: 1,
        _source: [`spelled.${facet}`],
        query: { bool: { filter: [{ term: { [facet]: key } }] } },
      })),
      this.timeoutMs,
    );
    for (const [at, { facet, key }] of unknown.entries()) {
      const spelled = answers[at]?.hits.hits[0]?._source.spelled?.[facet];
      const spelling = spelled?.find(value => keyOf(facet, value) === key);
      if (spelling !== undefined) {
        this.spellings.set(idOf({ facet, key }), spelling);
      }
    }
  }

  private async mostFrequent(
    facets: readonly OpenFacet[],
    size: number,
  ): Promise<Partial<Record<OpenFacet, readonly VocabularyEntry[]>>> {
    const aggs = Object.fromEntries(facets.map(field => [field, { terms: { field, size } }]));
    const [answer] = await searchAll<ValuesAnswer>(
      this.engine,
      this.alias,
      [{ size: 0, track_total_hits: false, aggs }],
      this.timeoutMs,
    );
    return Object.fromEntries(
      Object.entries(answer?.aggregations ?? {}).map(([facet, { buckets }]) => [
        facet,
        buckets.map(({ key, doc_count }) => ({ value: key, count: doc_count })),
      ]),
    );
  }

  private inOrder(facet: OpenFacet, values: readonly VocabularyEntry[]): VocabularyEntry[] {
    return values
      .map(({ value, count }) => ({ value: this.spellingOf({ facet, key: value }), count }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  }

  private spellingOf(each: Key): string {
    return this.spellings.get(idOf(each)) ?? each.key;
  }
}

/** The facet whose value is at a JSON pointer into the filters. */
function facetAt(pointer: string): CheckedFacet | undefined {
  const [, filter = ''] = pointer.split('/');
  return checkedFacets.find(each => each === vocabularyOf(filter));
}

function idOf({ facet, key }: Key): string {
  return `${facet} ${key}`;
}
