import type { PeopleFilters } from '@mailproof/shared-types';
import type {
  NamedMembers,
  PeopleCounts,
  PeopleIndexStatus,
  PeoplePage,
  StoreVocabulary,
  UnknownFilterValue,
} from '../../domain/people-search/people-index.ts';
import type { CopiedRecords } from './follow-store.ts';

/** The start settings of the thread. */
export interface ThreadSettings {
  /** What the index holds; people if it is left out. */
  readonly records?: CopiedRecords;
  readonly databaseUrl: string;
  readonly peopleMax: number;
  readonly refreshIntervalMs: number;
}

interface Asked {
  readonly filters: PeopleFilters;
  readonly members: NamedMembers | undefined;
  readonly skipped: Int32Array;
}

/** The kinds of questions and their answers. */
export interface Questions {
  readonly count: {
    readonly ask: Asked & { readonly facets: boolean };
    readonly answer: PeopleCounts;
  };
  readonly page: {
    readonly ask: Asked & { readonly after: number; readonly limit: number };
    readonly answer: PeoplePage;
  };
  readonly vocabulary: { readonly ask: Readonly<Record<never, never>>; readonly answer: StoreVocabulary };
}

export type QuestionKind = keyof Questions;

/** A question to the thread; past its deadline its answer is no longer awaited. */
export type Question = {
  readonly [Kind in QuestionKind]: {
    readonly kind: Kind;
    readonly id: number;
    readonly deadlineAtMs: number;
  } & Questions[Kind]['ask'];
}[QuestionKind];

export type ToThread = Question | { readonly kind: 'stop' };

/** The outcome of a question. */
export type Answer =
  | { readonly outcome: 'answered'; readonly answer: Questions[QuestionKind]['answer'] }
  | { readonly outcome: 'unknown_values'; readonly values: readonly UnknownFilterValue[] }
  | { readonly outcome: 'loading' | 'late' }
  | { readonly outcome: 'failed'; readonly error: Error };

export type FromThread =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'status'; readonly status: PeopleIndexStatus }
  | { readonly kind: 'read_failed'; readonly error: Error };
