import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { openPostgres } from '@mailproof/service-kit';
import { type DeferredProbeId, newId, retryProbeJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createDeferredProbeStore } from '../src/adapters/postgres/deferred-probe-store.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';

const hourMs = 3_600_000;
let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase('validation-engine');
  pool = openPostgres({
    connectionString: database.databaseUrl,
    schema: 'validation',
    applicationName: 'deferred-probe-test',
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function jobs(): Promise<{ payload: { deferredProbeId: DeferredProbeId }; waitMs: number }[]> {
  const { rows } = await pool.query(
    'SELECT payload, extract(epoch FROM due_at - now())::float * 1000 AS "waitMs" FROM outbox WHERE job_type = $1 ORDER BY outbox_id',
    [retryProbeJob.name],
  );
  return rows;
}

test('a probe is deferred once, however often its address is asked about', async () => {
  const store = createDeferredProbeStore(pool);
  const email = emailOf('ada@greylisting.example');
  await Promise.all([store.defer(email, hourMs), store.defer(email, hourMs), store.defer(email, hourMs)]);
  const [job, ...others] = await jobs();
  expect(others).toEqual([]);
  expect(job?.waitMs).toBeGreaterThan(0.9 * hourMs);
  expect(job?.waitMs).toBeLessThanOrEqual(hourMs);
  expect(retryProbeJob.payload.safeParse(job?.payload).success).toBe(true);

  const probe = await store.find(job?.payload.deferredProbeId ?? newId('deferredProbe'));
  expect(probe).toMatchObject({ email: { normalized: email.normalized }, attempts: 1 });
  if (probe) {
    // A job that runs twice schedules only one next attempt.
    await Promise.all([store.postpone(probe, 120_000), store.postpone(probe, 120_000)]);
    expect(await jobs()).toHaveLength(2);
    expect(await store.find(probe.deferredProbeId)).toMatchObject({ attempts: 2 });
    await store.finish(probe);
    expect(await store.find(probe.deferredProbeId)).toBeUndefined();
  }
});

test('an address whose job is lost is deferred again once no job can exist for it', async () => {
  const store = createDeferredProbeStore(pool);
  const email = emailOf('lost@greylisted.example');
  const deferAged = async (age: string) => {
    await pool.query(
      'UPDATE deferred_probe SET attempts = 3, created_at = now() - $2::interval WHERE email = $1',
      [...[email.normalized, age]],
    );
    await store.defer(email, hourMs);
    return (await jobs()).at(-1)?.payload.deferredProbeId ?? newId('deferredProbe');
  };
  const first = await deferAged('0 days');
  expect(await deferAged('47 hours')).toBe(first);
  const next = await deferAged('49 hours');
  expect(await store.find(next)).toMatchObject({ email: { normalized: email.normalized }, attempts: 1 });
  expect(await store.find(first)).toBeUndefined();
});
