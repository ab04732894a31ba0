import type { openDatabase } from '../src/adapters/postgres/open.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { composeLookalikeRanking } from '../src/compose/lookalikes.ts';
import type { Config } from '../src/config.ts';
import type { LookalikeRanking } from '../src/domain/lookalike/lookalike-ranking.ts';
import type { CompanyRecord } from '../src/domain/profile-store/profile-records.ts';
import type { Events } from '../src/events.ts';
import { syntheticCompany } from '../src/fixtures/synthetic-company.ts';

/** Building and storing a model takes a while on a busy machine. */
export const soon = { deadlineMs: 90_000 };

/** Replicas of the ranking on one database, and their failures. */
export interface LookalikeReplicas {
  readonly failures: Error[];
  start(databaseUrl: string, vectors: Config['LOOKALIKE_VECTORS']): LookalikeRanking;
  /** Closes all replicas and clears their failures. */
  close(): Promise<void>;
}

export function createLookalikeReplicas(): LookalikeReplicas {
  const failures: Error[] = [];
  const running: ReturnType<typeof composeLookalikeRanking>[] = [];
  const events = new Proxy({} as Events, {
    get: (_, name) => (problem: Error) => {
      if (
        name === 'lookalikeReadFailed' ||
        name === 'lookalikeModelFailed' ||
        name === 'lookalikeThreadLost'
      ) {
        failures.push(problem);
      }
    },
  });
  return {
    failures,
    start(databaseUrl, vectors) {
      const replica = composeLookalikeRanking(
        {
          DATABASE_URL: databaseUrl,
          LOOKALIKE_REFRESH_INTERVAL_MS: 100,
          LOOKALIKE_QUESTION_DEADLINE_MS: 60_000,
          LOOKALIKE_REBUILD_SHARE: 10,
          LOOKALIKE_VECTORS: vectors,
        },
        events,
      );
      running.push(replica);
      replica.start();
      return replica.ranking;
    },
    async close() {
      await Promise.all(running.splice(0).map(each => each.close()));
      failures.length = 0;
    },
  };
}

export const isReady = (ranking: LookalikeRanking) => async () => ranking.status().state === 'ready';

const source = { kind: 'synthetic', name: 'Test', licence: 'none', retrievedOn: '2026-05-01' } as const;

export const synthetic = (count: number) =>
  Array.from({ length: count }, (_, index) => syntheticCompany(1, index));

export async function load(
  pool: ReturnType<typeof openDatabase>['pool'],
  records: readonly CompanyRecord[],
): Promise<void> {
  const key = new TextEncoder().encode('a key for tests alone, 32 characters');
  const store = createProfileStore(pool, { suppressionKey: key, retentionDays: 1_000 });
  const now = new Date('2026-06-01T12:00:00Z');
  for (let start = 0; start < records.length; start += 100) {
    await store.loadCompanies({ ...source, fingerprint: '' }, records.slice(start, start + 100), now);
  }
}
