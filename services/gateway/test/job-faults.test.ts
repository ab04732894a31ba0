import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type KillableServer, startPrivateRedis } from '@mailproof/dev-house';
import { benchmarkCatalog } from '@mailproof/mail-lab';
import { newId } from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Person } from './house.ts';
import { type JobHouse, openJobHouse, startJob, untilJob, untilJobEnded, uploadJob } from './job-house.ts';
import { ownerWith } from './people-store.ts';
import { until } from './until.ts';

/*
 * Faults in the middle of a validation job (ADR 0035). A lock on one of its addresses stops the job, so that each fault
 * occurs exactly while answers are being recorded.
 */

const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
const addressesMax = isLong ? 50_000 : 600;
const timeoutMs = isLong ? 900_000 : 90_000;
/** Long tests that differ little run only with `pnpm test:faults`. */
const itWhenLong: (name: string, test: () => Promise<void>, timeoutMs: number) => void = isLong
  ? it
  : () => undefined;

const catalog = benchmarkCatalog({
  domains: addressesMax / 10,
  addresses: addressesMax,
  catchAllShare: 0.02,
  seed: 35,
});
const expected = new Map(
  catalog.flatMap(domain => domain.expected).map(({ address, result }) => [address, result] as const),
);
const addresses = [...expected.keys()];

let redis: KillableServer;
let house: JobHouse;
/** Sees which locks the services wait for. */
let admin: pg.Pool;
let database: string;
let owner: Person;

beforeAll(async () => {
  redis = await startPrivateRedis();
  house = await openJobHouse(catalog, {
    inOneProcess: false,
    redisUrl: redis.url,
    env: {
      'credit-ledger': { HOLD_SWEEP_INTERVAL_MS: '200' },
      'validation-engine': {
        // Each job queries the hosts, and none finds cached answers of an earlier job.
        VALIDATION_MEMORY_DECIDED_SECONDS: '0',
        VALIDATION_MEMORY_UNKNOWN_SECONDS: '0',
        // Keeps a small job from ending before it is stopped.
        ...(!isLong && {
          VALIDATION_JOB_CHUNKS_AT_ONCE_MAX: '2',
          VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX: '10',
        }),
      },
    },
  });
  admin = new pg.Pool({ connectionString: house.test.house.databaseAdminUrl, max: 2 });
  const { rows } = await house.engine.query<{ name: string }>('SELECT current_database() AS name');
  database = rows[0]?.name ?? '';
}, 180_000);

afterAll(async () => {
  await admin?.end();
  await house?.stop();
  await redis?.stop();
}, 60_000);

beforeEach(async () => {
  owner = await ownerWith(house.test, addressesMax + 100);
}, 90_000);

function service(name: string) {
  const found = house.test.house.services[name];
  if (!found) {
    throw new Error(`There is no service ${name}.`);
  }
  return found;
}

const waitingForLocks = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`;

const untilLocked = (waitingMin = 1) =>
  until(
    'a session waits for the lock',
    async () => (await admin.query<{ waiting: number }>(waitingForLocks, [database])).rows[0]?.waiting ?? 0,
    waiting => waiting >= waitingMin,
    timeoutMs,
  );

/** Locks an unfinished address, in the middle of the job if possible, until it is released. */
async function lockOpenAddress(jobId: string): Promise<() => Promise<void>> {
  const client = await house.engine.connect();
  await client.query('BEGIN');
  const { rowCount } = await client.query(
    `SELECT 1 FROM validation_job_address a JOIN validation_job j USING (job_no)
     WHERE j.job_id = $1 AND a.state <> 'done' ORDER BY abs(a.chunk_no - j.chunks / 2) LIMIT 1 FOR UPDATE OF a`,
    [jobId],
  );
  expect(rowCount).toBe(1);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

/** Starts a job and stops it in the middle; returns the job and a function to resume it. */
async function startStopped(): Promise<{ jobId: string; release: () => Promise<void> }> {
  const jobId = await uploadJob(owner, addresses);
  await startJob(owner, jobId);
  await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0, timeoutMs);
  const release = await lockOpenAddress(jobId);
  await untilLocked();
  return { jobId, release };
}

/** The holds of a job, in order of creation. */
async function holdsOf(jobId: string) {
  const { rows } = await house.ledger.query<{ run_id: string; state: string; settled: number }>(
    "SELECT run_id, state, settled::int FROM hold WHERE run_id = $1 OR run_id LIKE $1 || '.%' ORDER BY created_at",
    [jobId],
  );
  return rows;
}

/** Every address has the expected verdict and was charged once, and no credit is still held. */
async function expectExact(jobId: string): Promise<void> {
  const job = await untilJobEnded(owner, jobId, timeoutMs);
  expect(job).toMatchObject({
    state: 'succeeded',
    done: addressesMax,
    waiting: 0,
    progress: 1,
    failure: null,
  });
  const { rows } = await house.engine.query<{ email: string; result: string }>(
    'SELECT a.email, a.result FROM validation_job_address a JOIN validation_job j USING (job_no) WHERE j.job_id = $1',
    [jobId],
  );
  const wrong = rows.filter(({ email, result }) => expected.get(email) !== result);
  expect(wrong).toEqual([]);
  expect(rows).toHaveLength(addressesMax);
  expect(job).toMatchObject({ spent: addressesMax, returned: 0 });
  const results = job['results'] as Record<string, number>;
  expect(Object.values(results).reduce((sum, count) => sum + count, 0)).toBe(addressesMax);
  const { body } = await owner.get('/balance');
  expect(body).toMatchObject({ available: 100, held: 0 });
  expect((await holdsOf(jobId)).filter(({ state }) => state === 'settled')).toHaveLength(1);
}

describe('in the middle of a job', () => {
  it(
    'a killed engine loses nothing and charges each address once',
    async () => {
      const { jobId, release } = await startStopped();
      await service('validation-engine').kill('SIGKILL');
      await release();
      await service('validation-engine').restart();
      await expectExact(jobId);
      expect(await holdsOf(jobId)).toHaveLength(1);
    },
    timeoutMs,
  );

  it(
    'a killed gateway is not missed',
    async () => {
      const { jobId, release } = await startStopped();
      await service('gateway').kill('SIGKILL');
      await release();
      await service('gateway').restart();
      await expectExact(jobId);
    },
    timeoutMs,
  );

  itWhenLong(
    'a Redis that has lost everything, the job’s work too, is filled again',
    async () => {
      const { jobId, release } = await startStopped();
      await service('validation-engine').kill('SIGKILL');
      await emptyRedis();
      await release();
      await service('validation-engine').restart();
      await expectExact(jobId);
    },
    timeoutMs,
  );

  it(
    'a Redis that is emptied under a running worker neither loses an address nor charges one twice',
    async () => {
      const { jobId, release } = await startStopped();
      await emptyRedis();
      await release();
      await expectExact(jobId);
    },
    timeoutMs,
  );

  itWhenLong(
    'a Redis that goes away and comes back is waited for',
    async () => {
      const { jobId, release } = await startStopped();
      await redis.kill();
      await release();
      await redis.restart();
      await expectExact(jobId);
    },
    timeoutMs,
  );

  it(
    'a ledger that is away is waited for, and charges once',
    async () => {
      const { jobId, release } = await startStopped();
      await service('credit-ledger').kill('SIGKILL');
      await release();
      await until(
        'every address is probed',
        async () =>
          (
            await house.engine.query('SELECT state, ending, charge FROM validation_job WHERE job_id = $1', [
              jobId,
            ])
          ).rows[0],
        ({ charge }) => charge === addressesMax,
        timeoutMs,
      );
      await service('credit-ledger').restart();
      await expectExact(jobId);
    },
    timeoutMs,
  );

  it(
    'a Postgres that ends every connection costs a batch, which is asked for again',
    async () => {
      const { jobId, release } = await startStopped();
      const ended = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = $1 AND application_name = 'mailproof-validation-engine'`,
        [database],
      );
      expect(ended.rowCount).toBeGreaterThan(0);
      await release();
      await expectExact(jobId);
    },
    timeoutMs,
  );

  itWhenLong(
    'a hold that expired is replaced, and only one of the two is charged',
    async () => {
      const { jobId, release } = await startStopped();
      await service('validation-engine').kill('SIGKILL');
      await release();
      await house.ledger.query("UPDATE hold SET expires_at = now() - interval '1 second' WHERE run_id = $1", [
        jobId,
      ]);
      await until(
        'the expiry',
        () => holdsOf(jobId),
        ([hold]) => hold?.state === 'expired',
      );
      await house.engine.query('UPDATE validation_job SET hold_expires_at = now() WHERE job_id = $1', [
        jobId,
      ]);
      await service('validation-engine').restart();
      await expectExact(jobId);
      expect(await holdsOf(jobId)).toEqual([
        { run_id: jobId, state: 'expired', settled: 0 },
        { run_id: `${jobId}.2`, state: 'settled', settled: addressesMax },
      ]);
      const job = (await owner.get(`/validation-jobs/${jobId}`)).body;
      expect(job['receipt_id']).toBe(`${jobId}.2`);
      expect((await owner.get(`/receipts/${jobId}.2`)).body).toMatchObject({ spent: addressesMax });
    },
    timeoutMs,
  );

  it(
    'an answer that comes after the cancellation is neither written down nor charged',
    async () => {
      const { jobId, release } = await startStopped();
      const before = await owner.get(`/validation-jobs/${jobId}`);
      // The waiting batch holds a lock on the job, so the cancellation waits for it.
      const cancelling = owner.send(`/validation-jobs/${jobId}/cancellation`, { method: 'POST' });
      await untilLocked(2);
      await release();
      expect((await cancelling).status).toBe(200);
      const job = await untilJobEnded(owner, jobId, timeoutMs);
      expect(job['state']).toBe('cancelled');
      const { rows } = await house.engine.query<{ done: number; charged: number }>(
        `SELECT count(*) FILTER (WHERE a.state = 'done')::int AS done,
           count(*) FILTER (WHERE a.result <> 'unknown')::int AS charged
         FROM validation_job_address a JOIN validation_job j USING (job_no) WHERE j.job_id = $1`,
        [jobId],
      );
      expect(rows).toEqual([{ done: job['done'], charged: job['spent'] }]);
      expect(Number(job['done'])).toBeGreaterThanOrEqual(Number(before.body['done']));
      expect(Number(job['done'])).toBeLessThan(addressesMax);
      const { body } = await owner.get('/balance');
      expect(body).toMatchObject({ available: addressesMax + 100 - Number(job['spent']), held: 0 });
    },
    timeoutMs,
  );

  it(
    'an engine that is killed while it finishes the job has changed nothing, or finishes it later',
    async () => {
      const { jobId, release } = await startStopped();
      const finish = () => owner.send(`/validation-jobs/${jobId}/finish`, { method: 'POST' });
      // The waiting batch holds a lock on the job, so the end waits for it.
      const finishing = finish().catch(() => undefined);
      await untilLocked(2);
      await service('validation-engine').kill('SIGKILL');
      await release();
      await finishing;
      // Without the ledger, the end is stored but not settled.
      await service('credit-ledger').kill('SIGKILL');
      await service('validation-engine').restart();
      await until(
        'the end is stored',
        async () => {
          await finish();
          return (
            await house.engine.query('SELECT ending, done, state FROM validation_job WHERE job_id = $1', [
              jobId,
            ])
          ).rows[0];
        },
        ({ ending }) => ending === 'succeeded',
        timeoutMs,
      );
      await service('validation-engine').kill('SIGKILL');
      await service('credit-ledger').restart();
      await service('validation-engine').restart();
      const job = await untilJobEnded(owner, jobId, timeoutMs);
      expect(job).toMatchObject({ state: 'succeeded', done: addressesMax, waiting: 0, rows_open: 0 });
      const { unknown } = job['results'] as { unknown: number };
      expect(job).toMatchObject({ spent: addressesMax - unknown, returned: unknown });
      expect(unknown).toBeGreaterThan(0);
      const { body } = await owner.get('/balance');
      expect(body).toMatchObject({ available: 100 + unknown, held: 0 });
      expect((await holdsOf(jobId)).filter(({ state }) => state === 'settled')).toHaveLength(1);
      expect((await finish()).body).toMatchObject({ state: 'succeeded', spent: job['spent'] });
    },
    timeoutMs,
  );

  it(
    'the deletion of the account ends it, and leaves nothing',
    async () => {
      const { jobId, release } = await startStopped();
      const { account } = (await owner.get('/profile')).body as { account: { name: string } };
      const deleted = await owner.send('/account', {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ password: owner.password, account_name: account.name }),
      });
      expect([deleted.status, deleted.body['code']]).toEqual([200, undefined]);
      // The transaction that ends the job waits behind the answers being written.
      await untilLocked(2);
      await release();
      await until(
        'nothing is left',
        async () =>
          (await house.engine.query('SELECT 1 FROM validation_job WHERE account_id = $1', [owner.accountId]))
            .rowCount,
        rows => rows === 0,
        timeoutMs,
      );
      const [hold] = await holdsOf(jobId);
      expect(hold?.state).toBe('settled');
      expect(hold?.settled).toBeLessThan(addressesMax);
    },
    timeoutMs,
  );
});

describe('around the start of a job', () => {
  it(
    'two starts at once hold credits once, and a lost answer is asked for again under its key',
    async () => {
      const jobId = await uploadJob(owner, addresses.slice(0, 20));
      const headers = { 'idempotency-key': newId('request') };
      const ask = () => owner.send(`/validation-jobs/${jobId}/start`, { method: 'POST', headers });
      const answers = await Promise.all([ask(), ask(), ask()]);
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      await untilJobEnded(owner, jobId, timeoutMs);
      expect((await ask()).body).toMatchObject({ job_id: jobId, state: 'succeeded', spent: 20 });
      expect(await holdsOf(jobId)).toEqual([{ run_id: jobId, state: 'settled', settled: 20 }]);
      expect((await owner.get('/balance')).body).toMatchObject({ available: addressesMax + 80, held: 0 });
    },
    timeoutMs,
  );
});

async function emptyRedis(): Promise<void> {
  const client = new Redis(redis.url);
  await client.flushall();
  await client.quit();
}
