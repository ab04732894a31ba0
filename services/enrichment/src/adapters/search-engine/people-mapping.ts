import { type PeopleFacetName, peopleFacetNames } from '@mailproof/shared-types';
import { peoplePageMax } from '../../domain/people-search/people-index.ts';
import type { SearchDocument } from '../../domain/people-search/search-document.ts';

/** Increase this when documents change: the next release then fills its own index, and the previous one keeps another. */
const format = 3;

/** The names of everything that an installation keeps in the engine begin with its prefix. */
export interface EngineNames {
  /** The alias of the index that is searched. */
  readonly alias: string;
  /** The index of the positions of all feeds. */
  readonly feeds: string;
}

export function engineNames(prefix: string): EngineNames {
  return { alias: `${prefix}-people-v${format}`, feeds: `${prefix}-feeds-v${format}` };
}

/** The alias through which an index is fed; it is gone as soon as the index is. */
export function feedAlias(index: string): string {
  return `${index}-feed`;
}

/** Only filtered, never counted. */
const term = { type: 'keyword', doc_values: false };
/** Filtered and counted; loaded when the index is refreshed, not by the next search. */
const facet = { type: 'keyword', eager_global_ordinals: true };

type Mapping = Readonly<Record<Exclude<keyof SearchDocument, PeopleFacetName>, object>>;

const fields: Mapping = {
  person_no: { type: 'integer' },
  name_starts: term,
  title_words: term,
  keyword_parts: term,
  company_no: { type: 'integer', doc_values: false },
  company_name: term,
  company_domain: term,
  company_founded: { type: 'short', doc_values: false },
  company_funding: { type: 'long', doc_values: false },
  // Few different values, of which each person has one: counted like a facet, in place of two lists that are missing.
  known_lists: facet,
  spelled: { type: 'object', enabled: false },
};

/** The settings and mapping of an index of people. */
export function peopleIndexBody(index: string, shards: number) {
  return {
    aliases: { [feedAlias(index)]: {} },
    settings: {
      index: {
        number_of_shards: shards,
        auto_expand_replicas: '0-1',
        // The feed refreshes it, after each round of changes.
        refresh_interval: '-1',
        // For so long the engine knows the versions of deleted documents. After the usual minute, it would accept what a
        // feed that was cut off still sends, and people who were removed would be found again.
        gc_deletes: '1h',
        max_result_window: peoplePageMax + 1,
        'sort.field': 'person_no',
        // Threads that share a shard would each cut off their facets, and counts would no longer be exact.
        'search.concurrent_segment_search.mode': 'none',
      },
    },
    mappings: {
      dynamic: 'strict',
      _source: { includes: ['spelled.*'] },
      properties: { ...fields, ...Object.fromEntries(peopleFacetNames.map(name => [name, facet])) },
    },
  };
}

export const feedsIndexBody = {
  settings: { index: { number_of_shards: 1, auto_expand_replicas: '0-1' } },
  mappings: {
    dynamic: 'strict',
    properties: {
      round: { type: 'long' },
      readUpTo: { type: 'long' },
      filledTo: { type: 'integer' },
      people: { type: 'long' },
      peopleExpected: { type: 'long' },
      readAt: { type: 'date' },
    },
  },
};
