import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase, testRedisUrl, waitFor } from '@mailproof/dev-house';
import { createLogger } from '@mailproof/service-kit';
import { outboxJob, startOutboxWork } from '@mailproof/service-kit/jobs';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { newId, runExportJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createExportStore } from '../src/adapters/postgres/export-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import type { Export, RowOutcome } from '../src/domain/exports/export.ts';
import type { ExportStore, NewExport } from '../src/domain/exports/export-ports.ts';

const now = new Date('2026-11-22T10:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const claimMs = 10_000;

let opened: OpenTestDatabase;
let pool: Pool;
let store: ExportStore;

beforeAll(async () => {
  opened = await openTestDatabase('webhook-dispatcher', openDatabase);
  pool = opened.pool;
  store = createExportStore(pool);
});

afterAll(async () => {
  await opened?.close();
});

function newExport(changes: Partial<NewExport> = {}): NewExport {
  return {
    exportId: newId('export'),
    accountId: newId('account'),
    createdBy: newId('user'),
    requestId: null,
    name: 'Customers',
    source: { kind: 'validation_job', job_id: newId('validationJob') },
    target: 'webhook',
    options: {},
    columns: ['email', 'result_status'],
    rowsTotal: 3,
    rowsOpen: 0,
    createdAt: now,
    deletedAt: later(30 * 86_400_000),
    ...changes,
  };
}

async function created(changes: Partial<NewExport> = {}): Promise<Export> {
  const outcome = await store.create(newExport(changes), 5);
  if (outcome.kind !== 'created') {
    throw new Error(outcome.kind);
  }
  return outcome.record;
}

async function listed(keys: readonly string[], changes: Partial<NewExport> = {}): Promise<Export> {
  const record = await created(changes);
  const after = await store.appendKeys(record, {
    keys,
    open: 0,
    isLast: true,
    rowsMax: 9,
    state: 'pending',
    movedAt: now,
  });
  if (!after) {
    throw new Error('The export changed.');
  }
  return after;
}

const claim = (record: Export, rowsMax: number, at = now) =>
  store.claimRows(record.exportNo, {
    rowsMax,
    now: at,
    claimedUntil: new Date(at.getTime() + claimMs),
  });

const outcome = (rowNo: number, changes: Partial<RowOutcome> = {}): RowOutcome => ({
  rowNo,
  state: 'delivered',
  attempts: 1,
  statusCode: 200,
  fault: null,
  retryAt: null,
  attemptedAt: now,
  ...changes,
});

/** The delays of an export's open jobs, in seconds. */
async function openJobs(exportId: string): Promise<number[]> {
  const { rows } = await pool.query<{ wait: number }>(
    `SELECT round(extract(epoch FROM due_at - created_at))::int AS wait FROM outbox
     WHERE job_type = $1 AND payload->>'exportId' = $2 AND done_at IS NULL ORDER BY due_at`,
    [runExportJob.name, exportId],
  );
  return rows.map(({ wait }) => wait);
}

describe('exports in the store', () => {
  it('writes an export down with its job, once for one id', async () => {
    const record = newExport();
    const first = await store.create(record, 5);
    expect(first).toMatchObject({ kind: 'created', record: { ...record, status: 'queued', version: 1 } });
    expect(await store.create({ ...record, name: 'Again' }, 5)).toEqual({
      kind: 'repeated',
      record: first.kind === 'created' && first.record,
    });
    expect(await openJobs(record.exportId)).toEqual([0]);
  });

  it('allows an account a limited number of unfinished exports, even if many start at once', async () => {
    const accountId = newId('account');
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => store.create(newExport({ accountId }), 2)),
    );
    expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(2);
    expect(outcomes.filter(({ kind }) => kind === 'tooMany')).toHaveLength(4);
    expect(await store.countActive(accountId)).toBe(2);
  });

  it('does not change an export that has changed since it was read, and does not enqueue it', async () => {
    const record = await created();
    const changed = await store.change(record, { status: 'running', startedAt: now });
    expect(changed).toMatchObject({ status: 'running', version: 2 });
    expect(await store.change(record, { pauseReason: 'asked' }, { waitMs: 20_000 })).toBeUndefined();
    expect(
      await store.appendKeys(record, {
        keys: ['1'],
        open: 0,
        isLast: true,
        rowsMax: 9,
        state: 'pending',
        movedAt: now,
      }),
    ).toBeUndefined();
    expect(await openJobs(record.exportId)).toHaveLength(1);
    expect(await store.listRows(record.exportNo, { afterRowNo: 0, limit: 9 })).toEqual([]);
  });

  it('lists page by page, newest first, and refuses a made-up cursor', async () => {
    const accountId = newId('account');
    const names = ['one', 'two', 'three'];
    for (const name of names) {
      await created({ accountId, name });
    }
    const first = await store.list(accountId, { limit: 2 });
    const second = await store.list(accountId, { limit: 2, cursor: first.nextCursor });
    expect([...first.exports, ...second.exports].map(({ name }) => name)).toEqual(names.toReversed());
    expect(second.nextCursor).toBeUndefined();
    const wrong = Buffer.from('["no number"]').toString('base64url');
    await expect(store.list(accountId, { limit: 2, cursor: wrong })).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
  });

  it('numbers the keys over several pages and counts the rows with the last', async () => {
    const record = await created({ rowsTotal: 9, rowsOpen: 7 });
    const page = { state: 'pending', rowsMax: 9, movedAt: now } as const;
    const first = await store.appendKeys(record, { ...page, keys: ['a', 'b'], open: 2, isLast: false });
    expect(first).toMatchObject({
      rowsTotal: 9,
      rowsOpen: 2,
      isListed: false,
      listingPosition: 'b',
    });
    const last = first && (await store.appendKeys(first, { ...page, keys: ['c'], open: 1, isLast: true }));
    expect(last).toMatchObject({ rowsTotal: 3, rowsOpen: 3, isListed: true, listingPosition: 'c' });
    const rows = await store.listRows(record.exportNo, { afterRowNo: 1, limit: 9 });
    expect(rows.map(({ rowNo, recordKey }) => [rowNo, recordKey])).toEqual([
      [2, 'b'],
      [3, 'c'],
    ]);
  });

  it('lists no more rows than allowed, regardless of what the source has gained meanwhile', async () => {
    const record = await created({ rowsTotal: 2 });
    const page = { state: 'pending', rowsMax: 3, movedAt: now } as const;
    const first = await store.appendKeys(record, { ...page, keys: ['a', 'b'], open: 0, isLast: false });
    expect(first).toMatchObject({ status: 'running', startedAt: now, isListed: false });
    const last =
      first && (await store.appendKeys(first, { ...page, keys: ['c', 'd'], open: 0, isLast: false }));
    expect(last).toMatchObject({ rowsTotal: 3, isListed: true });
  });

  it('moves a delayed job instead of creating a second one', async () => {
    const record = await created();
    await pool.query('UPDATE outbox SET enqueued_at = now() WHERE enqueued_at IS NULL');
    const paused = await store.change(record, { pauseReason: 'receiver_asked' }, { waitMs: 60_000 });
    const resumed = paused && (await store.change(paused, { pauseReason: null }, { waitMs: 20_000 }));
    if (resumed) {
      await store.change(resumed, {}, { waitMs: 90_000 });
    }
    expect(await openJobs(record.exportId)).toEqual([0, 20]);
  });

  it('makes a second job next to one that could not be queued again, which may still be running', async () => {
    const redisUrl = await testRedisUrl('webhook-dispatcher');
    const redis = openRedis(redisUrl, () => undefined);
    await untilConnected(redis, 5_000);
    const work = startOutboxWork(
      {
        ...{ pool, redis, redisUrl, intervalMs: 50, onRedisError: () => undefined },
        logger: createLogger({ service: 'webhook-dispatcher', level: 'silent' }),
      },
      [outboxJob(runExportJob, 1, async () => undefined)],
    );
    redis.disconnect();
    const { exportId, ...record } = await created();
    await pool.query(
      `UPDATE outbox SET enqueued_at = now() - interval '1 minute' WHERE payload->>'exportId' = $1`,
      [exportId],
    );
    const isTriedAgain = `
      SELECT FROM outbox WHERE payload->>'exportId' = $1 AND coalesce(enqueued_at, '-infinity') = '-infinity'`;
    await waitFor(
      'The job was to be queued again',
      async () => (await pool.query(isTriedAgain, [exportId])).rowCount === 1,
      { deadlineMs: 10_000 },
    );
    await work.close();
    await store.change({ exportId, ...record }, {}, { waitMs: 20_000 });
    expect(await openJobs(exportId)).toEqual([0, 20]);
  });

  it('counts the rows of a file as delivered when they are listed', async () => {
    const record = await created({ target: 'csv', rowsTotal: 1 });
    const page = {
      keys: ['a', 'b'],
      open: 0,
      isLast: true,
      rowsMax: 9,
      state: 'delivered',
      movedAt: now,
    } as const;
    expect(await store.appendKeys(record, page)).toMatchObject({ rowsTotal: 2, rowsDelivered: 2 });
    await store.recordGone(record.exportNo, [2]);
    await store.recordGone(record.exportNo, [2]);
    expect(await store.find(record.exportId)).toMatchObject({ rowsDelivered: 1, rowsGone: 1 });
  });

  it('gives a row to one claimer, in order, until the claim is over', async () => {
    const record = await listed(['a', 'b', 'c', 'd']);
    const claims = await Promise.all([claim(record, 2), claim(record, 2)]);
    const claimed = claims.flat().map(({ rowNo }) => rowNo);
    expect(new Set(claimed).size).toBe(claimed.length);
    const rest = await claim(record, 9);
    expect([...claimed, ...rest.map(({ rowNo }) => rowNo)].sort()).toEqual([1, 2, 3, 4]);
    expect(await claim(record, 9, later(claimMs - 1))).toEqual([]);
    const again = await claim(record, 9, later(claimMs));
    expect(again.map(({ recordKey }) => recordKey)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('records what became of rows with the counts, and drops what comes late', async () => {
    const record = await listed(['a', 'b', 'c', 'd']);
    await claim(record, 4);
    const outcomes = [
      outcome(1),
      outcome(2, { state: 'failed', attempts: 3, statusCode: 500, fault: 'It answered 500.' }),
      outcome(3, { state: 'gone', attempts: 0, statusCode: null, attemptedAt: null }),
      outcome(4, { state: 'pending', attempts: 1, statusCode: 503, retryAt: later(20_000) }),
    ];
    const after = await store.recordRows(record.exportNo, outcomes, { pace: 8, movedAt: later(1) });
    expect(after).toMatchObject({ rowsDelivered: 1, rowsFailed: 1, rowsGone: 1, pace: 8, version: 3 });
    // Another worker had the same rows, and reports them later.
    const late = await store.recordRows(
      record.exportNo,
      [outcome(1), outcome(2), outcome(4, { state: 'pending', attempts: 0, attemptedAt: null })],
      {},
    );
    expect(late).toMatchObject({ rowsDelivered: 1, rowsFailed: 1, rowsGone: 1 });
    const [waiting] = await store.listRows(record.exportNo, { state: 'pending', afterRowNo: 0, limit: 9 });
    expect(waiting).toMatchObject({ rowNo: 4, attempts: 1, statusCode: 503, retryAt: later(20_000) });
    expect(await store.nextDueAt(record.exportNo, now)).toEqual(later(20_000));
    expect(await claim(record, 9, later(19_999))).toEqual([]);
    expect(await claim(record, 9, later(20_000))).toHaveLength(1);
  });

  it('knows that nothing is due anymore', async () => {
    const record = await listed(['a']);
    expect(await store.nextDueAt(record.exportNo, now)).toEqual(now);
    await store.recordRows(record.exportNo, [outcome(1)], {});
    expect(await store.nextDueAt(record.exportNo, now)).toBeUndefined();
  });

  it('re-enqueues those without a job, except those that a user has paused', async () => {
    const [still, paused, waiting, moving] = [
      await created({ createdAt: later(-60_000) }),
      await created({ createdAt: later(-60_000) }),
      await created({ createdAt: later(-60_000) }),
      await created({ createdAt: now }),
    ];
    await store.change(paused, { status: 'running', pauseReason: 'asked' });
    await store.change(waiting, { pauseReason: 'receiver_asked', resumesAt: later(60_000) });
    await pool.query('UPDATE outbox SET done_at = now()');
    await store.sweep(later(-30_000));
    expect(await openJobs(still.exportId)).toHaveLength(1);
    for (const { exportId } of [paused, waiting, moving]) {
      expect(await openJobs(exportId)).toEqual([]);
    }
    // It has a job now.
    expect(await store.sweep(later(-30_000))).toBe(0);
    expect(await store.sweep(later(90_000))).toBeGreaterThan(0);
    expect(await openJobs(waiting.exportId)).toHaveLength(1);
    expect(await openJobs(paused.exportId)).toEqual([]);
  });

  it('deletes an export with its rows: of its account alone, and when its time is over', async () => {
    const record = await listed(['a'], { deletedAt: later(1_000) });
    expect(await store.delete(newId('account'), record.exportId)).toBeUndefined();
    const before = await store.deleteOutdated(later(999));
    expect(before.map(({ exportId }) => exportId)).not.toContain(record.exportId);
    const after = await store.deleteOutdated(later(1_000));
    expect(after.map(({ exportId }) => exportId)).toContain(record.exportId);
    expect(await store.listRows(record.exportNo, { afterRowNo: 0, limit: 9 })).toEqual([]);
    expect(await store.recordRows(record.exportNo, [outcome(1)], {})).toBeUndefined();
  });
});
