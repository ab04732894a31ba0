import { openPostgres } from '@mailproof/service-kit/postgres';
import type { Pool } from 'pg';
import {
  companiesMin,
  type LookalikeAnswer,
  type LookalikeFaultCode,
  type LookalikeQuestion,
} from '../../domain/lookalike/lookalike-ranking.ts';

/** The start settings of both threads. */
interface ThreadSettings {
  readonly databaseUrl: string;
}

export interface RankingSettings extends ThreadSettings {
  readonly refreshIntervalMs: number;
  /** The share of companies changed since the model was built from which a new build is worthwhile. */
  readonly rebuildShare: number;
  /** Where the vectors of companies are stored; `auto` uses Postgres for a large store if it supports vectors. */
  readonly vectors: 'auto' | 'memory' | 'postgres';
}

export interface BuildSettings extends ThreadSettings {
  /** The model to replace; if a newer one already exists, there is nothing to do. */
  readonly replaces: number | null;
}

/** The state of the ranking thread. */
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

/** What a poll of the store says. `isBuildDue` requests a new model. */
export interface Followed {
  readonly state: FollowedState;
  readonly isBuildDue: boolean;
}

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
  /** Sent after every poll of the store. */
  | ({ readonly kind: 'followed' } & Followed)
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
  /** Another replica is building a model, or has just built one. */
  | { readonly outcome: 'left_to_another' }
  | { readonly outcome: 'too_few_companies'; readonly companies: number };

/** The answer to a question without a model. */
export const noModelYet = `There is no lookalike model yet: the first is built once ${companiesMin} companies have a description.`;

// Imports only the Postgres module of the service kit: a thread needs nothing else, and would load the whole kit.

/** The connections of a thread: one for its work and one that holds a lock. */
const connectionsMax = 2;

/** Opens the thread's own pool: connections cannot be passed between threads. */
export function openThreadDatabase(databaseUrl: string, name: string): Pool {
  return openPostgres({
    connectionString: databaseUrl,
    schema: 'enrichment',
    applicationName: `mailproof-enrichment-${name}`,
    connectionsMax,
    // The next statement fails for the same reason, and its failure is reported.
    onIdleError: () => undefined,
  });
}
