import { createRateLimiter } from '@mailproof/service-kit';
import { isSandboxAccount } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient } from 'pg';
import { newestModel } from '../adapters/lookalike-worker/model-store.ts';
import type { PostgresVectors } from '../adapters/lookalike-worker/postgres-vectors.ts';
import { type BuildResult, openThreadDatabase } from '../adapters/lookalike-worker/threads.ts';
import { runBuild, WorkerRanking } from '../adapters/lookalike-worker/worker-ranking.ts';
import { createSeedPages } from '../adapters/outside/seed-pages.ts';
import { createCompanyRows } from '../adapters/postgres/company-rows.ts';
import { createLookalikeResults, createLookalikeSearches } from '../adapters/postgres/lookalike-searches.ts';
import type { Config } from '../config.ts';
import type { RunDelivery } from '../domain/discovery/run.ts';
import type { LookalikeRanking, RankingOfAccount } from '../domain/lookalike/lookalike-ranking.ts';
import { createLookalikeDelivery } from '../domain/lookalike-search/lookalike-delivery.ts';
import { sandboxRanking } from '../domain/sandbox/sandbox-ranking.ts';
import type { Events } from '../events.ts';
import { lookalikeSearchHandlers } from '../http/lookalike-searches.ts';
import type { PublicPages } from './public-pages.ts';

interface LookalikesOptions {
  readonly pool: Pool;
  readonly ranking: LookalikeRanking;
  readonly publicPages: PublicPages;
  readonly redis: Redis;
  readonly now: () => Date;
}

/** Composes lookalike searches and the delivery of their paid runs. */
export function composeLookalikes({ pool, ranking, publicPages, redis, now }: LookalikesOptions): {
  readonly handlers: ReturnType<typeof lookalikeSearchHandlers>;
  readonly delivery: RunDelivery<PoolClient>;
} {
  const companies = createCompanyRows(pool);
  const searches = createLookalikeSearches(pool);
  const rankingOf: RankingOfAccount = accountId => (isSandboxAccount(accountId) ? sandboxRanking : ranking);
  const limiter = createRateLimiter(redis, 'enrichment');
  const readSeedPages = createSeedPages({ pages: publicPages?.options, limiter, now });
  const ports = { rankingOf, companies, searches, readSeedPages, now };
  return {
    handlers: lookalikeSearchHandlers(ports),
    delivery: createLookalikeDelivery({ rankingOf, companies, results: createLookalikeResults(), now }),
  };
}

/** The minimum time between two builds of a model. */
const buildPauseMinMs = 60_000;

/** Composes the ranking of similar companies and its threads. */
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

/** The current model in the store. */
interface StandingModel {
  readonly modelNo: number;
  readonly companies: number;
  readonly terms: number;
  readonly dimensions: number;
  readonly builtAt: Date;
}

/** Opens only the vectors in Postgres, for measurements; null without the extension. */
export async function openPostgresVectors(
  databaseUrl: string,
): Promise<{ vectors: PostgresVectors | null; close(): Promise<void> }> {
  // Imported here, because the process of the service ranks nothing.
  const { PostgresVectors } = await import('../adapters/lookalike-worker/postgres-vectors.ts');
  const pool = openThreadDatabase(databaseUrl, 'lookalike-vectors');
  return { vectors: await PostgresVectors.open(pool), close: () => pool.end() };
}

/** The operations of the operator's lookalike commands. */
export interface LookalikeOperator {
  build(onProgress: (done: number) => void, signal: AbortSignal): Promise<BuildResult>;
  /** Returns the current model; null before the first. */
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
