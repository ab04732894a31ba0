import type { OpenFacet, PeopleFacets, PeopleFilters } from '@mailproof/shared-types';

/**
 * Finds people in memory. It holds numbers alone: whoever shows people reads their rows in Postgres, where those who
 * were suppressed a moment ago are absent already.
 */
export interface PeopleIndex {
  /** At once, without asking the thread. */
  status(): PeopleIndexStatus;
  /**
   * Total and facets of the people who match, exactly. Throws `UnknownFilterValues` for values outside the vocabularies
   * and `PeopleIndexUnavailable` while the index is loading, too busy, or too slow.
   */
  count(query: PeopleCountQuery): Promise<PeopleCounts>;
  /** The next people who match, by ascending person_no. Throws as `count` does. */
  page(query: PeoplePageQuery): Promise<PeoplePage>;
  /** The values of the open vocabularies that the store holds, most frequent first. Throws as `count` does. */
  vocabulary(): Promise<StoreVocabulary>;
}

export interface PeopleCountQuery {
  readonly filters: PeopleFilters;
  /** Left out where the total is enough, which is quicker. */
  readonly facets?: boolean;
  /** People who are left out of every count, such as those that the account has saved already. */
  readonly skip?: readonly number[] | Int32Array;
}

export interface PeopleCounts {
  readonly total: number;
  /** Where they were asked for. */
  readonly facets?: PeopleFacets;
}

/**
 * The order is that of person_no, ascending: a number that never changes and is never given twice. So pages have neither
 * gaps nor duplicates whatever changes meanwhile, a later page begins where the one before ended, and people who are new
 * come last.
 */
export interface PeoplePageQuery {
  readonly filters: PeopleFilters;
  /** The last person_no of the page before; 0 for the first page. */
  readonly after: number;
  /** Numbers wanted, at most `peoplePageMax`. */
  readonly limit: number;
  readonly skip?: readonly number[] | Int32Array;
}

export interface PeoplePage {
  readonly personNos: readonly number[];
  /** Whether anybody matches after these. */
  readonly more: boolean;
}

/** Numbers in one page of the index at most. */
export const peoplePageMax = 10_000;

export interface VocabularyEntry {
  readonly value: string;
  readonly count: number;
}

export type StoreVocabulary = Readonly<
  Record<Extract<OpenFacet, 'industries' | 'countries'>, readonly VocabularyEntry[]>
>;

export type PeopleIndexStatus =
  | { readonly state: 'loading'; readonly people: number; readonly peopleExpected: number }
  | {
      readonly state: 'ready';
      readonly people: number;
      /** Whether the store has more people than the index may hold; the counts are of those that it holds. */
      readonly isFull: boolean;
      /** When the newest look for changes began that has been taken in. */
      readonly refreshedAt: Date;
      /** Octets of the index's columns and lists. */
      readonly bytes: number;
    }
  | { readonly state: 'failed'; readonly reason: string };

/** A value outside its vocabulary. */
export interface UnknownFilterValue {
  /** JSON pointer (RFC 6901) into the filters. */
  readonly pointer: string;
  readonly value: string;
  /** What was probably meant; of a fixed vocabulary everything. */
  readonly known: readonly string[];
  /** Whether `known` is the whole vocabulary. */
  readonly isWhole: boolean;
}

/** The filters name values that no vocabulary has. */
export class UnknownFilterValues extends Error {
  override readonly name = 'UnknownFilterValues';
  readonly values: readonly UnknownFilterValue[];

  constructor(values: readonly UnknownFilterValue[]) {
    super('The filters name unknown values.');
    this.values = values;
  }
}

/** The index cannot answer now; the same question may be asked again. */
export class PeopleIndexUnavailable extends Error {
  override readonly name = 'PeopleIndexUnavailable';
  readonly reason: 'loading' | 'busy' | 'late' | 'failed' | 'closed';
  /** In words, with the progress where it is loading. */
  readonly detail: string;
  readonly retryAfterSeconds: number;

  constructor(reason: PeopleIndexUnavailable['reason'], detail: string, retryAfterSeconds: number) {
    super(detail);
    this.reason = reason;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
