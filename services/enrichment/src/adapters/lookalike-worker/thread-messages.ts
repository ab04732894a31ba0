import type {
  LookalikeAnswer,
  LookalikeFaultCode,
  LookalikeQuestion,
} from '../../domain/lookalike/lookalike-ranking.ts';

/** What both threads are started with. */
export interface ThreadSettings {
  readonly databaseUrl: string;
}

export interface RankingSettings extends ThreadSettings {
  readonly refreshIntervalMs: number;
  /** Companies that changed since a model, by those in it, from which a new one is worth building. */
  readonly rebuildShare: number;
  /** Where the places of companies are kept; `auto` takes Postgres for a large store if it can keep vectors. */
  readonly vectors: 'auto' | 'memory' | 'postgres';
}

export interface BuildSettings extends ThreadSettings {
  /** The model that a new one shall replace; where a newer one stands meanwhile there is nothing to do. */
  readonly replaces: number | null;
}

/** What the ranking thread holds. */
export type FollowedState =
  | { readonly state: 'none'; readonly described: number }
  | {
      readonly state: 'ready';
      readonly modelNo: number;
      readonly companies: number;
      readonly terms: number;
      readonly dimensions: number;
      readonly builtAt: Date;
      readonly calibration: 'fitted' | 'shipped';
    };

export type ToRanking =
  | {
      readonly kind: 'rank';
      readonly id: number;
      readonly deadlineAtMs: number;
      readonly question: LookalikeQuestion;
    }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'stop' };

export type FromRanking =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: LookalikeAnswer }
  | {
      readonly kind: 'refused';
      readonly id: number;
      readonly code: LookalikeFaultCode | 'out_of_bounds' | 'failed';
      readonly message: string;
    }
  /** After every look at the store. `isBuildDue` asks for a new model. */
  | { readonly kind: 'followed'; readonly state: FollowedState; readonly isBuildDue: boolean }
  | { readonly kind: 'read_failed'; readonly error: Error };

export type FromBuilding =
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'ended'; readonly result: BuildResult };

export type BuildResult =
  | {
      readonly outcome: 'built';
      readonly modelNo: number;
      readonly companies: number;
      readonly terms: number;
    }
  /** Another replica builds, or has built meanwhile. */
  | { readonly outcome: 'left_to_another' }
  | { readonly outcome: 'too_few_companies'; readonly companies: number };
