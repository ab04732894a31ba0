import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type KillableServer, startPrivateRedis } from '@mailproof/dev-house';
import { newId, prices } from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import pg from 'pg';
import { beginSearchOfCompanies, openCompanyStore } from './company-store.ts';
import { findingPeople, openTestHouse, type Person, type TestHouse } from './house.ts';
import { openPeopleStore, ownerWith, type PeopleStore, untilRunEnded } from './people-store.ts';
import { until } from './until.ts';

/*
 * Faults in the middle of a run (ADR 0033). A lock on one person's row stops the run there, so that each fault occurs
 * exactly while a chunk is being saved.
 */

const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
const people = isLong ? 50_000 : 2_000;
const timeoutMs = isLong ? 300_000 : 90_000;
/** Long tests that differ little run only with `pnpm test:faults`. */
const itWhenLong: (name: string, test: () => Promise<void>) => void = isLong ? it : () => undefined;
// A test waits a few times at most, and a failed wait is more informative than the test's timeout.
jest.setTimeout(3 * timeoutMs);

let redis: KillableServer;
let test: TestHouse;
let store: PeopleStore;
let ledger: pg.Pool;
/** Sees which locks the services wait for. */
let admin: pg.Pool;
let database: string;
let domain: string;
let owner: Person;

beforeAll(async () => {
  redis = await startPrivateRedis();
  test = await openTestHouse({
    inOneProcess: false,
    only: findingPeople,
    redisUrl: redis.url,
    env: {
      gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
      'credit-ledger': { HOLD_SWEEP_INTERVAL_MS: '200' },
    },
  });
  store = await openPeopleStore(test);
  ledger = new pg.Pool({
    connectionString: test.house.databaseUrls['ledger']?.migrationDatabaseUrl ?? '',
    options: '-c search_path=ledger',
    max: 2,
  });
  admin = new pg.Pool({ connectionString: test.house.databaseAdminUrl, max: 2 });
  const { rows } = await store.pool.query<{ name: string }>('SELECT current_database() AS name');
  database = rows[0]?.name ?? '';
  domain = await store.add(people);
});

afterAll(async () => {
  await store?.close();
  await ledger?.end();
  await admin?.end();
  await test?.stop();
  await redis?.stop();
});

beforeEach(async () => {
  owner = await ownerWith(test, people + 100);
  await store.untilFound(domain, people);
});

function service(name: string) {
  const found = test.house.services[name];
  if (!found) {
    throw new Error(`There is no service ${name}.`);
  }
  return found;
}

async function search(): Promise<string> {
  const filters = { company_domains: [domain] };
  const answer = await owner.post('/people-searches', { name: 'A search', filters });
  expect(answer.status).toBe(201);
  return String(answer.body['search_id']);
}

async function start(searchId: string): Promise<string> {
  const run = await owner.post(`/people-searches/${searchId}/runs`, { people: 'all' });
  expect([run.status, run.body['code']]).toEqual([202, undefined]);
  return String(run.body['run_id']);
}

/** Locks a row until it is released; resolves once it is locked. */
async function lock(
  pool: pg.Pool,
  statement: string,
  values: readonly unknown[],
): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('BEGIN');
  const { rowCount } = await client.query(`${statement} FOR UPDATE`, [...values]);
  expect(rowCount).toBe(1);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

const waitingForLocks = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`;

const untilLocked = (atLeast = 1) =>
  until(
    'a session waits for the lock',
    async () => (await admin.query<{ waiting: number }>(waitingForLocks, [database])).rows[0]?.waiting ?? 0,
    waiting => waiting >= atLeast,
  );

/** Starts a run and stops it in the middle; returns the run and a function to resume it. */
async function startStopped(): Promise<{ runId: string; release: () => Promise<void> }> {
  const searchId = await search();
  const release = await lock(store.pool, 'SELECT person_no FROM person WHERE profile_key = $1', [
    `${domain}/${Math.round(people / 2)}`,
  ]);
  const runId = await start(searchId);
  await untilLocked();
  const saved = await savedBy(runId);
  expect(saved).toBeGreaterThan(0);
  expect(saved).toBeLessThan(people);
  return { runId, release };
}

async function savedBy(runId: string): Promise<number> {
  const { rows } = await store.pool.query<{ saved: number }>(
    'SELECT count(*)::int AS saved FROM saved_person WHERE run_id = $1',
    [runId],
  );
  return rows[0]?.saved ?? 0;
}

/** The holds of a run, in order of creation. */
async function holdsOf(runId: string) {
  const { rows } = await ledger.query<{ run_id: string; state: string; settled: number }>(
    "SELECT run_id, state, settled::int FROM hold WHERE run_id = $1 OR run_id LIKE $1 || '.%' ORDER BY created_at",
    [runId],
  );
  return rows;
}

/** Every person was saved and charged once, and no credit is still held. */
async function expectExact(runId: string): Promise<void> {
  const run = await untilRunEnded(owner, runId, timeoutMs);
  expect(run).toMatchObject({ state: 'succeeded', delivered: people, spent: people, returned: 0 });
  expect(await savedBy(runId)).toBe(people);
  const { body } = await owner.get('/balance');
  expect(body).toMatchObject({ available: 100, held: 0 });
  expect((await holdsOf(runId)).filter(({ state }) => state === 'settled')).toHaveLength(1);
}

describe('in the middle of a run', () => {
  it('a killed service continues where it was, and charges exactly for the people saved', async () => {
    const { runId, release } = await startStopped();
    await service('enrichment').kill('SIGKILL');
    await release();
    await service('enrichment').restart();
    await expectExact(runId);
    expect(await holdsOf(runId)).toHaveLength(1);
  });

  itWhenLong('a Redis that has lost everything, the run’s job too, is filled again', async () => {
    const { runId, release } = await startStopped();
    await service('enrichment').kill('SIGKILL');
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    await release();
    await service('enrichment').restart();
    await expectExact(runId);
  });

  it('a Redis that is emptied under a running worker does not make it save or charge twice', async () => {
    const { runId, release } = await startStopped();
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    await release();
    await expectExact(runId);
  });

  it('a ledger that is away is waited for, and charges once', async () => {
    const { runId, release } = await startStopped();
    await service('credit-ledger').kill('SIGKILL');
    await release();
    await until(
      'all people are saved',
      () => savedBy(runId),
      saved => saved === people,
      timeoutMs,
    );
    const { rows } = await store.pool.query(
      'SELECT state, ending, charge FROM discovery_run WHERE run_id = $1',
      [runId],
    );
    expect(rows).toEqual([{ state: 'running', ending: 'succeeded', charge: people }]);
    await service('credit-ledger').restart();
    await expectExact(runId);
  });

  it('a Postgres that ends every connection costs a chunk, which is saved again', async () => {
    const { runId, release } = await startStopped();
    const ended = await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = $1 AND application_name = 'mailproof-enrichment'`,
      [database],
    );
    expect(ended.rowCount).toBeGreaterThan(0);
    await release();
    await expectExact(runId);
  });

  itWhenLong('a hold that expired is replaced, and only one of the two is charged', async () => {
    const { runId, release } = await startStopped();
    await ledger.query("UPDATE hold SET expires_at = now() - interval '1 second' WHERE run_id = $1", [runId]);
    await until(
      'the expiry',
      () => holdsOf(runId),
      ([hold]) => hold?.state === 'expired',
    );
    // As after a long outage: the service can also see that the hold has expired.
    await service('enrichment').kill('SIGKILL');
    await release();
    await store.pool.query('UPDATE discovery_run SET hold_expires_at = now() WHERE run_id = $1', [runId]);
    await service('enrichment').restart();
    await expectExact(runId);
    expect(await holdsOf(runId)).toEqual([
      { run_id: runId, state: 'expired', settled: 0 },
      { run_id: `${runId}.2`, state: 'settled', settled: people },
    ]);
    const run = (await owner.get(`/discovery-runs/${runId}`)).body;
    expect(run['receipt_id']).toBe(`${runId}.2`);
    expect((await owner.get(`/receipts/${runId}.2`)).body).toMatchObject({ spent: people });
  });

  it('a hold that expired and cannot be replaced ends the run, which charges what is left for who was saved', async () => {
    const { runId, release } = await startStopped();
    await service('enrichment').kill('SIGKILL');
    await release();
    const saved = await savedBy(runId);
    await ledger.query("UPDATE hold SET expires_at = now() - interval '1 second' WHERE run_id = $1", [runId]);
    await store.pool.query('UPDATE discovery_run SET hold_expires_at = now() WHERE run_id = $1', [runId]);
    await until(
      'the expiry',
      () => holdsOf(runId),
      ([hold]) => hold?.state === 'expired',
    );
    // The returned credits are spent elsewhere, except those that pay for the saved people.
    await spend(people + 100 - saved - 7);
    await service('enrichment').restart();
    expect(await untilRunEnded(owner, runId, timeoutMs)).toMatchObject({
      state: 'failed',
      failure: { code: 'credits_exhausted' },
      delivered: saved,
      spent: saved,
    });
    expect(await savedBy(runId)).toBe(saved);
    expect((await owner.get('/balance')).body).toMatchObject({ available: 7, held: 0 });
  });

  it('the deletion of the account ends it, and leaves nothing', async () => {
    const { runId, release } = await startStopped();
    const { account } = (await owner.get('/profile')).body as { account: { name: string } };
    const deleted = await owner.send('/account', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: owner.password, account_name: account.name }),
    });
    expect([deleted.status, deleted.body['code']]).toEqual([200, undefined]);
    // The chunk waits for the person, and the deletion for the chunk.
    await untilLocked(2);
    await release();
    const left = () =>
      store.pool.query<{ rows: number }>(
        `SELECT ((SELECT count(*) FROM saved_person WHERE account_id = $1)
             + (SELECT count(*) FROM discovery_run WHERE account_id = $1))::int AS rows`,
        [owner.accountId],
      );
    await until(
      'nothing is left',
      async () => (await left()).rows[0]?.rows,
      rows => rows === 0,
      timeoutMs,
    );
    const [hold] = await holdsOf(runId);
    expect(hold?.state).toBe('settled');
    expect(hold?.settled).toBeLessThanOrEqual(people);
  });
});

describe('in the middle of a run of companies', () => {
  it('a killed service continues where it was, and charges exactly for the companies saved', async () => {
    const wanted = 1_200;
    const companies = await openCompanyStore(test);
    const keyword = await companies.add(wanted);
    owner = await ownerWith(test, wanted * prices.savedCompany + 7);
    const { search_id } = await beginSearchOfCompanies(owner, { keywords: [keyword] });
    const release = await lock(companies.pool, 'SELECT company_no FROM company WHERE domain = $1', [
      `${keyword}-800.example`,
    ]);
    const run = await owner.post(`/company-searches/${search_id}/runs`, { companies: 'all' });
    const runId = String(run.body['run_id']);
    await untilLocked();
    const paid = async () => {
      const counted = 'SELECT count(*)::int AS paid FROM paid_company WHERE run_id = $1 AND account_id = $2';
      return (await companies.pool.query(counted, [runId, owner.accountId])).rows[0].paid;
    };
    expect(await paid()).toBe(500);
    await service('enrichment').kill('SIGKILL');
    await release();
    await service('enrichment').restart();
    expect(await untilRunEnded(owner, runId, timeoutMs)).toMatchObject({
      state: 'succeeded',
      delivered: wanted,
      spent: wanted * prices.savedCompany,
      returned: 0,
    });
    expect(await paid()).toBe(wanted);
    expect((await owner.get('/balance')).body).toMatchObject({ available: 7, held: 0 });
    expect(await holdsOf(runId)).toHaveLength(1);
    await companies.close();
  });
});

/** Holds and settles credits of the owner for another purpose. */
async function spend(credits: number): Promise<void> {
  const { rows } = await ledger.query<{ outcome: unknown }>(
    `SELECT settle_hold_v1(made.hold_id, $3, NULL)::text AS outcome
     FROM (SELECT $1::text AS hold_id, create_hold_v1($1, $2, $1, $3, 'validate-single-email', NULL, 60000, NULL)::text)
       AS made`,
    [newId('hold'), owner.accountId, credits],
  );
  expect(String(rows[0]?.outcome)).toContain('resolved');
}

describe('around the edges of a run', () => {
  it('a service that is killed between hold and row holds credits once under the same Idempotency-Key', async () => {
    const searchId = await search();
    const headers = { 'idempotency-key': newId('request') };
    const ask = () => owner.post(`/people-searches/${searchId}/runs`, { people: 100 }, headers);
    const release = await lock(store.pool, 'SELECT search_id FROM discovery_search WHERE search_id = $1', [
      searchId,
    ]);
    const lost = ask();
    await untilLocked();
    expect((await owner.get('/balance')).body).toMatchObject({ available: people, held: 100 });
    await service('enrichment').kill('SIGKILL');
    expect((await lost).status).toBe(503);
    await release();
    await service('enrichment').restart();
    await store.untilFound(domain, people);
    const again = await ask();
    expect([again.status, again.body['code']]).toEqual([202, undefined]);
    const runId = String(again.body['run_id']);
    await untilRunEnded(owner, runId);
    expect(await holdsOf(runId)).toEqual([{ run_id: runId, state: 'settled', settled: 100 }]);
    expect((await owner.get('/balance')).body).toMatchObject({ available: people, held: 0 });
  });

  it('a service that is killed between the last chunk and the settlement settles once', async () => {
    const searchId = await search();
    const before = await lock(store.pool, 'SELECT person_no FROM person WHERE profile_key = $1', [
      `${domain}/${people}`,
    ]);
    const runId = await start(searchId);
    await untilLocked();
    const release = await lock(ledger, 'SELECT hold_id FROM hold WHERE run_id = $1', [runId]);
    await before();
    await until(
      'all people are saved',
      () => savedBy(runId),
      saved => saved === people,
      timeoutMs,
    );
    await untilLocked();
    await service('enrichment').kill('SIGKILL');
    await release();
    await service('enrichment').restart();
    await expectExact(runId);
    expect(await holdsOf(runId)).toHaveLength(1);
  });
});
