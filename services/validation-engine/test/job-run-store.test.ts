import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { databaseOpener } from '@mailproof/service-kit';
import { newId, type ValidationJobId, type Verdict, validationResults } from '@mailproof/shared-types';
import { createJobAddresses } from '../src/adapters/postgres/job-runs/job-addresses.ts';
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

  it('record the need of credits and the end once each, with the change, and nothing else', async () => {
    const store = createJobRunStore(database.pool);
    const jobId = await job('running', 0);
    await database.pool.query(
      `UPDATE validation_job SET name = 'customers of ada@ordinary.example', addresses = 9, done = 4, price = 2, rows_broken = 3, results = '{"ok":3,"invalid":1}'
       WHERE job_id = $1`,
      [jobId],
    );
    const change = async (changes: Parameters<typeof store.change>[1]) => {
      const run = await store.find(jobId);
      return run && store.change(run, changes);
    };
    const recorded = async () => {
      const { rows } = await database.pool.query<{ type: string; data: Record<string, unknown> }>(
        "SELECT type, data FROM event WHERE data->>'job_id' = $1 ORDER BY event_no",
        [jobId],
      );
      return rows;
    };
    await change({ state: 'paused' });
    expect(await recorded()).toEqual([]);
    await change({ failure: 'credits_exhausted', ending: 'failed', charge: 8 });
    await change({ holdAmount: 4 });
    const common = { account_id: 'acct', job_id: jobId, name: 'customers of …', addresses: 9, done: 4 };
    const needs = {
      type: 'validation_job.needs_credits',
      data: { ...common, state: 'paused', required: 10 },
    };
    expect(await recorded()).toEqual([needs]);
    const startedAt = new Date('2026-11-27T10:00:00Z');
    await change({ startedAt });
    const endedAt = new Date('2026-11-27T10:05:10Z');
    await change({ state: 'failed', spent: 4, endedAt });
    await change({ failedAttempts: 0 });
    const data = {
      ...common,
      state: 'failed',
      failure: 'credits_exhausted',
      results: { ok: 3, invalid: 4 },
      spent: 4,
      seconds: 310,
    };
    expect(await recorded()).toEqual([needs, { type: 'validation_job.finished', data }]);
    // A change that is based on an older version records nothing.
    const late = await job('running', 0);
    const [first, second] = [await store.find(late), await store.find(late)];
    if (!first || !second) {
      throw new Error('The job is gone.');
    }
    await store.change(first, { state: 'cancelled', spent: 0, endedAt: new Date() });
    expect(await store.change(second, { state: 'cancelled', spent: 0, endedAt: new Date() })).toBeUndefined();
    const { rowCount } = await database.pool.query("SELECT FROM event WHERE data->>'job_id' = $1", [late]);
    expect(rowCount).toBe(1);
  });

  it('count the rows of every result', async () => {
    const jobId = await job('running', 0);
    const run = await createJobRunStore(database.pool).find(jobId);
    if (!run) {
      throw new Error('The job is gone.');
    }
    await database.pool.query(
      `INSERT INTO validation_job_address (job_no, address_no, email, normalised, row_count)
       SELECT $1, at, result, result, at + 1 FROM unnest($2::text[]) WITH ORDINALITY AS given (result, at)`,
      [run.jobNo, validationResults],
    );
    const asked = validationResults.map((result, index) => ({
      addressNo: index + 1,
      outcome: { kind: 'done' as const, verdict: verdictOf(result) },
    }));
    const addresses = createJobAddresses(database.pool);
    // The second time, the addresses are done already.
    await addresses.record(run, asked, { now: new Date(), perSecond: 1 });
    await addresses.record(run, asked, { now: new Date(), perSecond: 1 });
    const { rows } = await database.pool.query(
      'SELECT done, charged, results FROM validation_job WHERE job_id = $1',
      [jobId],
    );
    const results = Object.fromEntries(validationResults.map((result, index) => [result, index + 2]));
    const done = validationResults.length;
    expect(rows).toEqual([{ done, charged: done - 1, results }]);
  });

  it('finish with every open address unknown, counted by its rows, once', async () => {
    const jobId = await job('running', 0);
    const store = createJobRunStore(database.pool);
    const addresses = createJobAddresses(database.pool);
    const run = await store.find(jobId);
    if (!run) {
      throw new Error('The job is gone.');
    }
    // Five addresses, the third in three rows; their rows have not been counted yet.
    await database.pool.query(
      `INSERT INTO validation_job_address (job_no, address_no, email, normalised)
       SELECT $1, at, at || '@a.example', at || '@a.example' FROM generate_series(1, 5) AS at`,
      [run.jobNo],
    );
    await database.pool.query(
      `INSERT INTO validation_job_row (job_no, row_no, cells, address_no)
       SELECT $1, at, '{}', CASE WHEN at <= 5 THEN at ELSE 3 END FROM generate_series(1, 7) AS at`,
      [run.jobNo],
    );
    const asked = [
      { addressNo: 1, outcome: { kind: 'done' as const, verdict: verdictOf('ok') } },
      {
        addressNo: 2,
        outcome: { kind: 'waiting' as const, dueAt: new Date(), waitsFor: 'greylisting' as const },
      },
    ];
    await addresses.record(run, asked, { now: new Date(), perSecond: 1 });
    const now = new Date();
    const finish = async () => {
      const current = await store.find(jobId);
      return (
        current &&
        store.changeWith(current, async client => {
          await addresses.finishOpen(client, current, now);
          return { ending: 'succeeded', charge: await addresses.countCharged(client, current) };
        })
      );
    };
    expect(await finish()).toMatchObject({ ending: 'succeeded', charge: 1 });
    expect(await finish()).toMatchObject({ charge: 1 });
    const { rows } = await database.pool.query(
      'SELECT done, charged, results FROM validation_job WHERE job_id = $1',
      [jobId],
    );
    expect(rows).toMatchObject([{ done: 5, charged: 1, results: { ok: 1, unknown: 6 } }]);
    // An answer that was on its way comes too late.
    await addresses.record(run, [{ addressNo: 2, outcome: { kind: 'done', verdict: verdictOf('ok') } }], {
      now: new Date(),
      perSecond: 1,
    });
    const { rows: finished } = await database.pool.query(
      `SELECT state, result, reason, row_count, due_at, checked_at FROM validation_job_address
       WHERE job_no = $1 AND address_no > 1 ORDER BY address_no`,
      [run.jobNo],
    );
    const open = { state: 'done', result: 'unknown', reason: 'not_finished', due_at: null, checked_at: now };
    expect(finished).toEqual([1, 3, 1, 1].map(row_count => ({ ...open, row_count })));
    expect(await addresses.nextAt(run, now)).toBeUndefined();
  });
});

function verdictOf(result: Verdict['result']): Verdict {
  return {
    result,
    reason: 'mailbox_exists',
    elapsedMs: 5,
    details: {
      reason: 'mailbox_exists',
      explanation: 'Because.',
      normalised_email: 'ada@a.example',
      role: false,
      disposable: false,
      age_seconds: 0,
      time_ms: 5,
      sessions: [],
    },
  };
}
