import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { databaseOpener } from '@mailproof/service-kit';
import { newId, type ValidationJobId } from '@mailproof/shared-types';
import { createJobRunStore } from '../src/adapters/postgres/job-runs/job-run-store.ts';

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase('validation-engine', databaseOpener('validation', 'job-run-store-test'));
});

afterAll(() => database?.close());

async function job(state: string, secondsStill: number): Promise<ValidationJobId> {
  const jobId = newId('validationJob');
  await database.pool.query(
    `INSERT INTO validation_job (job_id, account_id, created_by, name, origin, state, moved_at, deleted_at, trace_parent)
     VALUES ($1, 'acct', 'user', 'Customers', 'list', $2, now() - make_interval(secs => $3), now(), 'trace of ' || $1)`,
    [jobId, state, secondsStill],
  );
  return jobId;
}

describe('running jobs', () => {
  it('are enqueued again, in the trace of their start, where they have no job and stand still', async () => {
    const store = createJobRunStore(database.pool);
    const stuck = await job('running', 120);
    const withJob = await job('paused', 120);
    await store.enqueue(withJob);
    await Promise.all([job('running', 10), job('ready', 120), job('succeeded', 120)]);
    await database.pool.query("UPDATE outbox SET trace_parent = 'its own'");
    expect(await store.sweep(new Date(Date.now() - 60_000))).toBe(1);
    expect(await store.sweep(new Date(Date.now() - 60_000))).toBe(0);
    const { rows } = await database.pool.query(
      "SELECT payload->>'jobId' AS job, trace_parent AS trace FROM outbox ORDER BY outbox_id",
    );
    expect(rows).toEqual([
      { job: withJob, trace: 'its own' },
      { job: stuck, trace: `trace of ${stuck}` },
    ]);
  });

  it('change once from each version', async () => {
    const store = createJobRunStore(database.pool);
    const jobId = await job('queued', 0);
    const run = await store.find(jobId);
    if (!run) {
      throw new Error('The job is gone.');
    }
    expect(await store.change(run, { state: 'running', failedAttempts: 2 })).toMatchObject({
      failedAttempts: 2,
    });
    expect(await store.change(run, { state: 'paused' })).toBeUndefined();
    expect(await store.find(jobId)).toMatchObject({
      state: 'running',
      failedAttempts: 2,
      version: run.version + 1,
    });
  });
});
