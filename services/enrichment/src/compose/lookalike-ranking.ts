import type { Pool } from 'pg';
import { newestModel } from '../adapters/lookalike-worker/model-store.ts';
import { openThreadDatabase } from '../adapters/lookalike-worker/open-thread-database.ts';
import { runBuild } from '../adapters/lookalike-worker/run-build.ts';
import type { BuildResult } from '../adapters/lookalike-worker/thread-messages.ts';
import { VectorPlaces } from '../adapters/lookalike-worker/vector-places.ts';
import { WorkerRanking } from '../adapters/lookalike-worker/worker-ranking.ts';
import type { Config } from '../config.ts';
import type { LookalikeRanking } from '../domain/lookalike/lookalike-ranking.ts';
import type { Events } from '../events.ts';

/** Least time between two builds of a model. */
const buildPauseMinMs = 60_000;

/** The ranking of companies that look like others, and the threads it runs in. */
export function composeLookalikeRanking(
  config: Pick<
    Config,
    | 'DATABASE_URL'
    | 'LOOKALIKE_REFRESH_INTERVAL_MS'
    | 'LOOKALIKE_QUESTION_DEADLINE_MS'
    | 'LOOKALIKE_REBUILD_SHARE'
    | 'LOOKALIKE_VECTORS'
  >,
  events: Events,
): { ranking: LookalikeRanking; start(): void; close(): Promise<void> } {
  const ranking = new WorkerRanking({
    databaseUrl: config.DATABASE_URL,
    refreshIntervalMs: config.LOOKALIKE_REFRESH_INTERVAL_MS,
    questionDeadlineMs: config.LOOKALIKE_QUESTION_DEADLINE_MS,
    rebuildShare: config.LOOKALIKE_REBUILD_SHARE,
    vectors: config.LOOKALIKE_VECTORS,
    buildPauseMinMs,
    events,
  });
  return { ranking, start: () => ranking.start(), close: () => ranking.close() };
}

/** The model that stands, as the store has it. */
export interface StandingModel {
  readonly modelNo: number;
  readonly companies: number;
  readonly terms: number;
  readonly dimensions: number;
  readonly builtAt: Date;
}

/** Places in Postgres by themselves, to be measured; null where the extension does not stand. */
export async function openVectorPlaces(
  databaseUrl: string,
): Promise<{ vectors: VectorPlaces | null; close(): Promise<void> }> {
  const pool = openThreadDatabase(databaseUrl, 'lookalike-vectors');
  return { vectors: await VectorPlaces.open(pool), close: () => pool.end() };
}

/** What the operator's commands on lookalikes work with. */
export interface LookalikeOperator {
  build(onProgress: (done: number) => void, signal: AbortSignal): Promise<BuildResult>;
  /** Null before the first model. */
  standing(): Promise<StandingModel | null>;
}

export function lookalikeOperator(pool: Pool, databaseUrl: string): LookalikeOperator {
  return {
    async build(onProgress, signal) {
      const standing = await newestModel(pool);
      return runBuild({ databaseUrl, replaces: standing?.modelNo ?? null }, { onProgress, signal });
    },
    standing: () => newestModel(pool),
  };
}
