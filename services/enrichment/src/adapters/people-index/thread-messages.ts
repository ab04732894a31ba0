import type { PeopleFilters } from '@mailproof/shared-types';
import type {
  PeopleCounts,
  PeopleIndexStatus,
  PeoplePage,
  StoreVocabulary,
  UnknownFilterValue,
} from '../../domain/people-search/people-index.ts';

/** What the thread is started with. */
export interface ThreadSettings {
  readonly databaseUrl: string;
  readonly peopleMax: number;
  readonly refreshIntervalMs: number;
}

/** What can be asked, and what is answered to it. */
export interface Questions {
  readonly count: {
    readonly ask: { readonly filters: PeopleFilters; readonly facets: boolean; readonly skipped: Int32Array };
    readonly answer: PeopleCounts;
  };
  readonly page: {
    readonly ask: {
      readonly filters: PeopleFilters;
      readonly after: number;
      readonly limit: number;
      readonly skipped: Int32Array;
    };
    readonly answer: PeoplePage;
  };
  readonly vocabulary: { readonly ask: Readonly<Record<never, never>>; readonly answer: StoreVocabulary };
}

export type QuestionKind = keyof Questions;

/** A question to the thread; past its deadline nobody waits for the answer. */
export type Question = {
  readonly [Kind in QuestionKind]: {
    readonly kind: Kind;
    readonly id: number;
    readonly deadlineAtMs: number;
  } & Questions[Kind]['ask'];
}[QuestionKind];

export type ToThread = Question | { readonly kind: 'stop' };

/** What a question comes to. */
export type Answer =
  | { readonly outcome: 'answered'; readonly answer: Questions[QuestionKind]['answer'] }
  | { readonly outcome: 'unknown_values'; readonly values: readonly UnknownFilterValue[] }
  | { readonly outcome: 'loading' | 'late' }
  | { readonly outcome: 'failed'; readonly error: Error };

export type FromThread =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'status'; readonly status: PeopleIndexStatus }
  | { readonly kind: 'read_failed'; readonly error: Error };
