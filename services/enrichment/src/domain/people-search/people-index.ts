import type { AccountId, OpenFacet, PeopleFacets, PeopleFilters } from '@mailproof/shared-types';

/**
 * Finds people, in memory or in a search engine. It returns only numbers: a caller that shows people reads their rows in
 * Postgres, where people suppressed a moment ago are already gone.
 */
export interface PeopleIndex {
  /** Returns immediately, without asking the thread. */
  status(): PeopleIndexStatus;
  /**
   * Returns the exact total and facets of the people who match. Throws `UnknownFilterValues` for values outside the
   * vocabularies and `PeopleIndexUnavailable` while the index is loading, too busy or too slow.
   */
  count(query: PeopleCountQuery): Promise<PeopleCounts>;
  /** Returns the next people who match, in ascending order of person_no. Throws as `count` does. */
  page(query: PeoplePageQuery): Promise<PeoplePage>;
  /** Returns the values of the open vocabularies in the store, most frequent first. Throws as `count` does. */
  vocabulary(): Promise<StoreVocabulary>;
}

/** The index of an account's people: that of the store, or that of the sandbox (ADR 0085). */
export type IndexOfAccount = (accountId: AccountId) => Omit<PeopleIndex, 'status'>;

/** The members of saved lists, as their numbers in the store, ascending. */
export interface ListMembers {
  readonly people: Int32Array;
  readonly companies: Int32Array;
  /** Domains of further companies. */
  readonly domains: readonly string[];
}

/** The members of the lists that filters name. */
export interface NamedMembers {
  /** Undefined if people need not be on a list. */
  readonly wanted: ListMembers | undefined;
  readonly excluded: ListMembers;
}

export interface PeopleCountQuery {
  readonly filters: PeopleFilters;
  /** Required if the filters name saved lists; see `withSavedLists`. */
  readonly members?: NamedMembers;
  /** False if only the total is needed, which is faster. */
  readonly facets?: boolean;
  /** People excluded from every count, such as those that the account has already saved. */
  readonly skip?: readonly number[] | Int32Array;
}

/** A value of a filter that was read as other values, which the store has. */
export interface ReadValue {
  /** JSON pointer (RFC 6901) into the filters. */
  readonly pointer: string;
  readonly value: string;
  readonly readAs: readonly string[];
}

export interface PeopleCounts {
  readonly total: number;
  /** Present if requested. */
  readonly facets?: PeopleFacets;
  /** The values that were read as others, if there are any. */
  readonly read?: readonly ReadValue[];
}

/**
 * Pages are in ascending order of person_no, a number that never changes and is never reused. So concurrent changes
 * cause neither gaps nor duplicates, each page begins where the previous one ended, and new people come last.
 */
export interface PeoplePageQuery {
  readonly filters: PeopleFilters;
  readonly members?: NamedMembers;
  /** The last person_no of the previous page; 0 for the first page. */
  readonly after: number;
  /** How many numbers to return, at most `peoplePageMax`. */
  readonly limit: number;
  readonly skip?: readonly number[] | Int32Array;
}

export interface PeoplePage {
  readonly personNos: readonly number[];
  /** Whether more people match after these. */
  readonly more: boolean;
}

/** The maximum number of people in one page of the index. */
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
      /** Whether the store has more people than the index may hold; the counts cover only those that it holds. */
      readonly isFull: boolean;
      /** When the latest applied poll for changes began. */
      readonly refreshedAt: Date;
      /** The number of the store's change up to which the index has all changes. */
      readonly readUpTo: number;
      /** The size of the index's columns and lists in bytes; absent if they are in a search engine. */
      readonly bytes?: number;
    }
  | { readonly state: 'failed'; readonly reason: string };

/** A value outside its vocabulary. */
export interface UnknownFilterValue {
  /** JSON pointer (RFC 6901) into the filters. */
  readonly pointer: string;
  readonly value: string;
  /** Suggestions; for a fixed vocabulary, all its values. */
  readonly known: readonly string[];
  /** Whether `known` is the whole vocabulary. */
  readonly isWhole: boolean;
}

/** The filters contain values that are in no vocabulary. */
export class UnknownFilterValues extends Error {
  override readonly name = 'UnknownFilterValues';
  readonly values: readonly UnknownFilterValue[];

  constructor(values: readonly UnknownFilterValue[]) {
    super('The filters name unknown values.');
    this.values = values;
  }
}

/** The index cannot answer now; the query can be retried. */
export class PeopleIndexUnavailable extends Error {
  override readonly name = 'PeopleIndexUnavailable';
  readonly reason: 'loading' | 'busy' | 'late' | 'failed' | 'closed';
  /** A description, with the progress while loading. */
  readonly detail: string;
  readonly retryAfterSeconds: number;

  constructor(reason: PeopleIndexUnavailable['reason'], detail: string, retryAfterSeconds: number) {
    super(detail);
    this.reason = reason;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
