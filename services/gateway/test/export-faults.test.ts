import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KillableServer, startPrivateRedis } from '@mailproof/dev-house';
import { limits, newId } from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import pg from 'pg';
import { getText, poolOf, untilExportEnded } from './exported-records.ts';
import { openTestHouse, type Person, type TestHouse, validating } from './house.ts';
import { ownerWith } from './people-store.ts';
import { until } from './until.ts';

/*
 * Faults in the middle of an export (ADR 0036). A lock on the table of its rows stops the export exactly while its
 * first page of keys is being written.
 */

const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
/** The most rows that an export may have, or three pages of keys. */
const rows = isLong ? limits.exportRowsMax : 2 * limits.exportKeysPerPageMax + 10;
const timeoutMs = 120_000;
/** Long tests that differ little run only with `pnpm test:faults`. */
const itWhenLong: (name: string, test: () => Promise<void>, timeoutMs: number) => void = isLong
  ? it
  : () => undefined;

let redis: KillableServer;
let test: TestHouse;
let dispatcher: pg.Pool;
let enrichment: pg.Pool;
let admin: pg.Pool;
let database: string;
let owner: Person;

beforeAll(async () => {
  redis = await startPrivateRedis();
  test = await openTestHouse({
    killable: ['enrichment', 'webhook-dispatcher'],
    only: [...validating, 'enrichment', 'webhook-dispatcher'],
    redisUrl: redis.url,
    env: { gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' } },
  });
  [dispatcher, enrichment] = [poolOf(test, 'dispatcher'), poolOf(test, 'enrichment')];
  admin = new pg.Pool({ connectionString: test.house.databaseAdminUrl, max: 2 });
  database =
    (await dispatcher.query<{ name: string }>('SELECT current_database() AS name')).rows[0]?.name ?? '';
  owner = await ownerWith(test, 0);
  await saveMany(owner);
}, 180_000);

afterAll(async () => {
  await Promise.all([dispatcher?.end(), enrichment?.end(), admin?.end()]);
  await test?.stop();
  await redis?.stop();
}, 60_000);

/** Invented people whom the account has saved. */
async function saveMany({ accountId }: Person): Promise<void> {
  await enrichment.query(
    `WITH told AS (
       INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', $1, 'CC0-1.0', '2026-01-01')
       RETURNING source_id),
     made AS (
       INSERT INTO person (person_id, profile_key, profile_url, full_name, source_id)
       SELECT 'pers_' || md5($1 || i), $1 || i, 'https://profiles.example/', 'Person ' || i, source_id
       FROM told, generate_series(1, $2::int) i RETURNING person_no)
     INSERT INTO saved_person (account_id, person_no, run_id) SELECT $1, person_no, $3 FROM made`,
    [accountId, rows, newId('discoveryRun')],
  );
}

function service(name: string) {
  const found = test.house.services[name];
  if (!found) {
    throw new Error(`There is no service ${name}.`);
  }
  return found;
}

const waitingForLocks = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`;

/** Starts an export and stops it while its rows are listed; returns the export and a function to resume it. */
async function beginStopped(): Promise<{ exportId: string; release: () => Promise<void> }> {
  const client = await dispatcher.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE export_row IN SHARE MODE');
  const started = await owner.post('/exports', { source: { kind: 'saved_people' }, target: 'csv' });
  expect([started.status, started.body['code']]).toEqual([202, undefined]);
  const exportId = String(started.body['export_id']);
  await until(
    'the worker waits for the lock',
    async () => (await admin.query<{ waiting: number }>(waitingForLocks, [database])).rows[0]?.waiting ?? 0,
    waiting => waiting >= 1,
    30_000,
  );
  return {
    exportId,
    async release() {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

/** Every row is in the file exactly once. */
async function expectWhole(exportId: string): Promise<void> {
  expect(await untilExportEnded(owner, exportId, timeoutMs)).toMatchObject({
    status: 'succeeded',
    rows: { total: rows, delivered: rows, failed: 0, gone: 0 },
  });
  const { text } = await getText(test, owner, `/exports/${exportId}/file`);
  const ids = text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map(line => line.split(',')[0]);
  expect([ids.length, new Set(ids).size]).toEqual([rows, rows]);
}

async function goesOnWithoutRedis(isKilled: boolean): Promise<void> {
  const { exportId, release } = await beginStopped();
  if (isKilled) {
    await service('webhook-dispatcher').kill('SIGKILL');
  }
  const client = new Redis(redis.url);
  await client.flushall();
  await client.quit();
  await release();
  if (isKilled) {
    await service('webhook-dispatcher').restart();
  }
  await expectWhole(exportId);
}

describe('in the middle of an export', () => {
  it(
    'a killed dispatcher continues where it was, soon, and lists nothing twice',
    async () => {
      const { exportId, release } = await beginStopped();
      await service('webhook-dispatcher').kill('SIGKILL');
      await release();
      await service('webhook-dispatcher').restart();
      await expectWhole(exportId);
    },
    timeoutMs,
  );

  it('continues when Redis is emptied under a running worker', () => goesOnWithoutRedis(false), timeoutMs);

  itWhenLong(
    'continues when Redis is emptied and the worker killed',
    () => goesOnWithoutRedis(true),
    timeoutMs,
  );

  it(
    'continues when Postgres ends every connection',
    async () => {
      const { exportId, release } = await beginStopped();
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = $1 AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'`,
        [database],
      );
      await release();
      await expectWhole(exportId);
    },
    timeoutMs,
  );

  it(
    'waits for a source that is killed',
    async () => {
      const { exportId, release } = await beginStopped();
      await service('enrichment').kill('SIGKILL');
      await release();
      await service('enrichment').restart();
      await expectWhole(exportId);
    },
    timeoutMs,
  );
});
