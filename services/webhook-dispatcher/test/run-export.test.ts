import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { createFairTurns, Problem } from '@mailproof/service-kit';
import { type ExportId, type ExportTarget, limits, newId } from '@mailproof/shared-types';
import { createExportStore } from '../src/adapters/postgres/export-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { advanceExport, takeOver } from '../src/domain/exports/advance-export.ts';
import { deleteExport } from '../src/domain/exports/delete-export.ts';
import type { Export } from '../src/domain/exports/export.ts';
import type { ExportPorts, ExportStore } from '../src/domain/exports/export-ports.ts';
import type { BatchResult, LeavingRow } from '../src/domain/exports/row-delivery.ts';
import { runExportHandler } from '../src/workers/run-work.ts';

/*
 * Exports on real tables, with a simulated source, which has rows by their keys, and a simulated receiver, which
 * decides the outcome of each row.
 */

let opened: OpenTestDatabase;
let store: ExportStore;

beforeAll(async () => {
  opened = await openTestDatabase('webhook-dispatcher', openDatabase);
  store = createExportStore(opened.pool);
});

afterAll(async () => {
  await opened?.close();
});

const startedAtMs = Date.parse('2026-11-22T10:00:00Z');

/** An export with its environment. */
async function world(
  options: {
    readonly name?: string;
    readonly rows?: number;
    readonly target?: ExportTarget;
    readonly keysPerPage?: number;
    readonly rowsPerRead?: number;
    readonly claimMs?: number;
    readonly receive?: (rows: readonly LeavingRow[]) => Partial<BatchResult> | Promise<Partial<BatchResult>>;
  } = {},
) {
  const { name = 'Rows', rows = 25, target = 'webhook', keysPerPage = 10, rowsPerRead = 500 } = options;
  const { claimMs = 10_000 } = options;
  const clock = { ms: startedAtMs };
  const keys = Array.from({ length: rows }, (_, at) => String(at + 1));
  const gone = new Set<string>();
  const received: string[] = [];
  const forgotten: ExportId[] = [];
  const state = { sourceFault: undefined as Error | undefined };
  const failing = () => {
    if (state.sourceFault) {
      throw state.sourceFault;
    }
  };
  const ports: ExportPorts = {
    exports: store,
    now: () => new Date(clock.ms),
    claimMs,
    isSourceGone: error => error instanceof Problem && error.code === 'export_source_not_found',
    events: { exportStarted: () => undefined, exportEnded: () => undefined },
    sources: {
      async list(_accountId, _source, after) {
        failing();
        const from = after === undefined ? 0 : keys.indexOf(after) + 1;
        const page = keys.slice(from, from + keysPerPage);
        return {
          columns: ['n'],
          total: rows,
          open: 0,
          openTotal: 0,
          keys: page,
          isLast: from + keysPerPage >= rows,
        };
      },
      async read(_accountId, _source, asked) {
        failing();
        const looked = asked.slice(0, rowsPerRead);
        const there = looked.filter(key => !gone.has(key));
        return {
          columns: ['n'],
          rows: there.map(key => ({ key, values: [`row ${key}`] })),
          keysRead: looked.length,
        };
      },
    },
    delivery: {
      rowsAtOnce: () => 10,
      async deliverRows(_record, leaving) {
        received.push(...leaving.map(({ values }) => String(values[0])));
        const outcomes = leaving.map(({ rowNo, attempts }) => ({
          rowNo,
          state: 'delivered' as const,
          attempts: attempts + 1,
          statusCode: 200,
          fault: null,
          retryAt: null,
          attemptedAt: new Date(clock.ms),
        }));
        return { outcomes, change: {}, ...(await options.receive?.(leaving)) };
      },
      async forget(exportId) {
        forgotten.push(exportId);
      },
    },
  };
  const outcome = await store.create(
    {
      exportId: newId('export'),
      accountId: newId('account'),
      createdBy: newId('user'),
      requestId: null,
      name,
      source: { kind: 'saved_people' },
      target,
      options: {},
      columns: ['n'],
      rowsTotal: rows,
      rowsOpen: 0,
      createdAt: new Date(clock.ms),
      deletedAt: new Date(clock.ms + 1e9),
    },
    5,
  );
  if (outcome.kind !== 'created') {
    throw new Error(outcome.kind);
  }
  const { exportId, accountId } = outcome.record;
  const signal = new AbortController().signal;
  return {
    ports,
    clock,
    gone,
    received,
    forgotten,
    state,
    exportId,
    accountId,
    /** Acts as a worker that got a job from the queue. */
    async work(stopping: AbortSignal = signal) {
      await opened.pool.query("UPDATE outbox SET enqueued_at = now() WHERE payload->>'exportId' = $1", [
        exportId,
      ]);
      await runExportHandler({
        ports,
        turns: createFairTurns(4, limits.activeExportsMax),
        isUnavailable: error => error instanceof Problem && error.code === 'service_unavailable',
        stopping,
      })({ exportId });
    },
    step: (runner: string) => advanceExport(ports, exportId, runner, signal),
    async record(): Promise<Export> {
      const found = await store.find(exportId);
      if (!found) {
        throw new Error('The export is gone.');
      }
      return found;
    },
    /** The delays of the export's jobs, in seconds. */
    async waitingJobs(): Promise<number[]> {
      const { rows: jobs } = await opened.pool.query<{ wait: number }>(
        `SELECT round(extract(epoch FROM due_at - created_at))::int AS wait FROM outbox
         WHERE payload->>'exportId' = $1 ORDER BY due_at`,
        [exportId],
      );
      return jobs.map(({ wait }) => wait);
    },
  };
}

const all = (rows: number) => Array.from({ length: rows }, (_, at) => `row ${at + 1}`);

describe('an export', () => {
  it('to a file is ready when the keys of its rows are listed', async () => {
    const { work, record, received, forgotten, exportId } = await world({ target: 'csv' });
    await work();
    expect(await record()).toMatchObject({
      status: 'succeeded',
      failure: null,
      isListed: true,
      rowsTotal: 25,
      rowsDelivered: 25,
      startedAt: new Date(startedAtMs),
      endedAt: new Date(startedAtMs),
    });
    expect(received).toEqual([]);
    expect(forgotten).toContain(exportId);
  });

  it('ends, also if its name has several addresses', async () => {
    const { work, record } = await world({ name: 'ada@one.example,bob@two.example', target: 'csv' });
    await work();
    expect(await record()).toMatchObject({ status: 'succeeded', failure: null });
  });

  it('delivers every row once, in order, and forgets where they went', async () => {
    const { work, record, received, forgotten, exportId } = await world();
    await work();
    expect(received).toEqual(all(25));
    expect(await record()).toMatchObject({ status: 'succeeded', rowsDelivered: 25, rowsFailed: 0 });
    expect(forgotten).toContain(exportId);
  });

  it('continues from any step at which its worker died, and lists and counts nothing twice', async () => {
    for (let died = 1; died <= 5; died += 1) {
      const { ports, exportId, step, work, record, received } = await world();
      await takeOver(ports, exportId, 'first');
      for (let steps = 0; steps < died; steps += 1) {
        expect(await step('first')).toBe('more');
      }
      await work();
      expect(await record()).toMatchObject({ status: 'succeeded', rowsTotal: 25, rowsDelivered: 25 });
      expect(received).toEqual(all(25));
    }
  });

  it('delivers rows again that a dead worker had in its hands, once its claim is over', async () => {
    const { ports, exportId, clock, work, record, received, waitingJobs } = await world({ rows: 5 });
    await takeOver(ports, exportId, 'first');
    await advanceExport(ports, exportId, 'first', new AbortController().signal);
    const { exportNo } = await record();
    const claimedUntil = new Date(clock.ms + 10_000);
    await store.claimRows(exportNo, { rowsMax: 3, now: ports.now(), claimedUntil });
    await work();
    expect(received).toEqual(['row 4', 'row 5']);
    // No slot is occupied until then.
    expect(await waitingJobs()).toContain(10);
    clock.ms += 10_000;
    await work();
    expect(received).toEqual(['row 4', 'row 5', 'row 1', 'row 2', 'row 3']);
    expect(await record()).toMatchObject({ status: 'succeeded', rowsDelivered: 5 });
  });

  it('keeps rows for itself while their receiver takes longer than a claim lasts', async () => {
    const claimMs = 30;
    const batch = Promise.withResolvers<Partial<BatchResult>>();
    const arrived = Promise.withResolvers<void>();
    const { ports, exportId, clock, step, record, received } = await world({
      ...{ rows: 5, claimMs },
      receive() {
        arrived.resolve();
        return batch.promise;
      },
    });
    await takeOver(ports, exportId, 'first');
    expect(await step('first')).toBe('more');
    const delivering = step('first');
    await arrived.promise;
    const { exportNo } = await record();
    const others = () =>
      store.claimRows(exportNo, { rowsMax: 5, now: ports.now(), claimedUntil: ports.now() });
    clock.ms += claimMs - 1;
    // Each renewal restarts the claim.
    while ((await store.nextDueAt(exportNo, ports.now()))?.getTime() !== clock.ms + claimMs) {
      await sleep(5);
    }
    clock.ms += claimMs - 1;
    expect(await others()).toEqual([]);
    batch.resolve({});
    expect(await delivering).toBe('more');
    expect(await step('first')).toBe('ended');
    expect(received).toEqual(all(5));
    expect(await record()).toMatchObject({ status: 'succeeded', rowsDelivered: 5 });
  });

  it('has one worker at a time: the earlier one stops', async () => {
    const { ports, exportId, step, received } = await world();
    await takeOver(ports, exportId, 'first');
    expect(await step('first')).toBe('more');
    await takeOver(ports, exportId, 'second');
    expect(await step('first')).toBe('waits');
    expect(await step('second')).toBe('more');
    expect(received).toEqual([]);
  });

  it('leaves out what its source has no more, and says so', async () => {
    const { gone, work, record, received } = await world({ rows: 12 });
    gone.add('2').add('11').add('12');
    await work();
    expect(received).toEqual(all(10).filter(row => row !== 'row 2'));
    expect(await record()).toMatchObject({
      status: 'succeeded',
      rowsTotal: 12,
      rowsDelivered: 9,
      rowsGone: 3,
    });
  });

  it('reads long rows in smaller portions, and takes none of them for gone', async () => {
    const { work, record, received } = await world({ rows: 7, rowsPerRead: 2 });
    await work();
    expect(received).toEqual(all(7));
    expect(await record()).toMatchObject({ status: 'succeeded', rowsDelivered: 7, rowsGone: 0 });
  });

  it('records what was delivered before a page that cannot be read', async () => {
    const { ports, exportId, clock, state, step, record, received } = await world({
      ...{ rows: 7, rowsPerRead: 2 },
      receive() {
        // The page after this one is already read.
        state.sourceFault = new Problem('service_unavailable');
        return {};
      },
    });
    await takeOver(ports, exportId, 'first');
    expect(await step('first')).toBe('more');
    expect(await step('first')).toBe('more');
    expect(await record()).toMatchObject({ status: 'running', rowsDelivered: 4 });
    await expect(step('first')).rejects.toMatchObject({ code: 'service_unavailable' });
    state.sourceFault = undefined;
    clock.ms += ports.claimMs;
    expect(await step('first')).toBe('more');
    expect(received).toEqual(all(7));
    expect(await record()).toMatchObject({ rowsDelivered: 7 });
  });

  it('records a page before the one after the next is sent, so that a kill repeats at most two', async () => {
    const made: { record?: () => Promise<Export> } = {};
    const recorded: (number | undefined)[] = [];
    const { ports, exportId, step, record } = await world({
      ...{ rows: 10, rowsPerRead: 2 },
      async receive() {
        recorded.push((await made.record?.())?.rowsDelivered);
        return {};
      },
    });
    made.record = record;
    await takeOver(ports, exportId, 'first');
    await step('first');
    expect(await step('first')).toBe('more');
    expect(recorded).toHaveLength(5);
    recorded.forEach((rows = 0, page) => {
      expect(rows).toBeGreaterThanOrEqual(2 * (page - 1));
    });
    expect(await record()).toMatchObject({ rowsDelivered: 10 });
  });

  it('returns the rows of a page that fails after others were delivered', async () => {
    let isBroken = true;
    const { ports, exportId, step, record, received } = await world({
      ...{ rows: 7, rowsPerRead: 2 },
      receive(rows) {
        if (isBroken && rows[0]?.rowNo === 3) {
          throw new Error('A fault of ours.');
        }
        return {};
      },
    });
    await takeOver(ports, exportId, 'first');
    await step('first');
    expect(await step('first')).toBe('more');
    expect(await record()).toMatchObject({ status: 'running', rowsDelivered: 2 });
    const { exportNo } = await record();
    expect(await store.nextDueAt(exportNo, ports.now())).toEqual(ports.now());
    await expect(step('first')).rejects.toThrow('A fault of ours.');
    isBroken = false;
    received.length = 0;
    expect(await step('first')).toBe('waits');
    expect(received).toEqual([]);
  });

  it('claims no more than its batch, however long its pages are', async () => {
    const made: { claimed?: () => Promise<number> } = {};
    const claimed: (number | undefined)[] = [];
    const { ports, exportId, step, record } = await world({
      ...{ rows: 25, keysPerPage: 25, rowsPerRead: 4 },
      async receive() {
        claimed.push(await made.claimed?.());
        return {};
      },
    });
    await takeOver(ports, exportId, 'first');
    await step('first');
    const { exportNo } = await record();
    made.claimed = async () => {
      const rows = await store.listRows(exportNo, { afterRowNo: 0, limit: 25 });
      return rows.filter(({ state, retryAt }) => state === 'delivered' || retryAt !== null).length;
    };
    expect(await step('first')).toBe('more');
    expect(new Set(claimed)).toEqual(new Set([10]));
    expect(await record()).toMatchObject({ rowsDelivered: 10 });
  });

  it('reads no more pages once its receiver asks for a pause, and returns their rows', async () => {
    const { ports, exportId, clock, step, record, received } = await world({
      ...{ rows: 7, rowsPerRead: 2 },
      receive: rows =>
        rows[0]?.rowNo === 3
          ? { change: { pauseReason: 'receiver_asked', resumesAt: new Date(clock.ms + 1_000) } }
          : {},
    });
    await takeOver(ports, exportId, 'first');
    await step('first');
    await step('first');
    expect(received).toEqual(all(4));
    expect(await record()).toMatchObject({ rowsDelivered: 4, pauseReason: 'receiver_asked' });
    const { exportNo } = await record();
    expect(await store.nextDueAt(exportNo, ports.now())).toEqual(ports.now());
  });

  it.each([
    ['paused', { pauseReason: 'asked', resumesAt: null }],
    ['canceled', { status: 'failed', failure: 'cancelled', endedAt: new Date(startedAtMs) }],
  ] as const)('sends no page after the one during which a user has %s it', async (_name, change) => {
    const made: { record?: () => Promise<Export> } = {};
    const { ports, exportId, step, record, received } = await world({
      ...{ rows: 7, rowsPerRead: 2 },
      async receive() {
        const now = await made.record?.();
        if (now) {
          await store.change(now, change);
        }
        return {};
      },
    });
    made.record = record;
    await takeOver(ports, exportId, 'first');
    await step('first');
    await step('first');
    expect(received).toEqual(all(2));
    expect(await record()).toMatchObject({ ...change, rowsDelivered: 2 });
    const { exportNo } = await record();
    expect(await store.nextDueAt(exportNo, ports.now())).toEqual(ports.now());
  });

  it('of which nothing arrives has failed', async () => {
    const refused = await world({
      rows: 3,
      receive: rows => ({
        outcomes: rows.map(({ rowNo }) => ({
          rowNo,
          state: 'failed',
          attempts: 3,
          statusCode: 500,
          fault: 'receiver_failed',
          retryAt: null,
          attemptedAt: null,
        })),
      }),
    });
    await refused.work();
    expect(await refused.record()).toMatchObject({
      status: 'failed',
      failure: 'nothing_delivered',
      rowsFailed: 3,
    });
  });

  it('ends for the reason that its receiver gives, with the rest still pending', async () => {
    const { work, record } = await world({ receive: () => ({ outcomes: [], failure: 'destination_lost' }) });
    await work();
    const ended = await record();
    expect(ended).toMatchObject({ status: 'failed', failure: 'destination_lost', rowsDelivered: 0 });
    const pending = await store.listRows(ended.exportNo, { state: 'pending', afterRowNo: 0, limit: 99 });
    expect(pending).toHaveLength(25);
    // The rows are returned, so that the next worker need not wait for the claim to expire.
    expect(pending.every(({ retryAt }) => retryAt === null)).toBe(true);
  });

  it('stands still for its receiver without holding a slot, and continues automatically', async () => {
    let isBusy = true;
    const { clock, work, record, received, waitingJobs } = await world({
      rows: 5,
      receive: () =>
        isBusy
          ? {
              outcomes: [],
              change: {
                pauseReason: 'receiver_asked',
                resumesAt: new Date(startedAtMs + 60_000),
                throttled: 1,
              },
            }
          : {},
    });
    await work();
    const resumesAt = new Date(startedAtMs + 60_000);
    expect(await record()).toMatchObject({ status: 'running', pauseReason: 'receiver_asked', resumesAt });
    expect(await waitingJobs()).toContain(60);
    await work();
    expect(received).toHaveLength(5);
    isBusy = false;
    clock.ms += 60_000;
    await work();
    expect(await record()).toMatchObject({ status: 'succeeded', pauseReason: null, rowsDelivered: 5 });
  });

  it('keeps a pause that a user asked for while a batch was on its way', async () => {
    const paused: { record?: () => Promise<Export> } = {};
    const made = await world({
      async receive() {
        const now = await paused.record?.();
        if (now) {
          await store.change(now, { pauseReason: 'asked', resumesAt: null });
        }
        return { change: { pauseReason: 'receiver_asked', resumesAt: new Date(startedAtMs + 1) } };
      },
    });
    paused.record = made.record;
    await made.work();
    expect(await made.record()).toMatchObject({ pauseReason: 'asked', resumesAt: null, rowsDelivered: 10 });
  });

  it('that ends while a batch is on its way keeps its end, and counts what arrived', async () => {
    const ended: { record?: () => Promise<Export> } = {};
    const made = await world({
      async receive() {
        const now = await ended.record?.();
        if (now) {
          await store.change(now, { status: 'failed', failure: 'cancelled', endedAt: new Date(startedAtMs) });
        }
        return {};
      },
    });
    ended.record = made.record;
    await made.work();
    expect(await made.record()).toMatchObject({ status: 'failed', failure: 'cancelled', rowsDelivered: 10 });
  });

  it('whose source is deleted meanwhile ends for that', async () => {
    const { ports, exportId, step, state, record } = await world();
    await takeOver(ports, exportId, 'runner');
    await step('runner');
    state.sourceFault = new Problem('export_source_not_found');
    expect(await step('runner')).toBe('ended');
    expect(await record()).toMatchObject({ status: 'failed', failure: 'source_gone' });
  });

  it('waits for an unavailable source, and fails after repeated errors', async () => {
    const { state, work, record, clock } = await world();
    state.sourceFault = new Problem('service_unavailable');
    for (let times = 0; times < 9; times += 1) {
      await expect(work()).rejects.toThrow();
    }
    expect(await record()).toMatchObject({ status: 'queued', failedAttempts: 0 });
    clock.ms += 90_000_000;
    await expect(work()).rejects.toThrow();
    expect(await record()).toMatchObject({ status: 'failed', failure: 'could_not_continue' });

    const broken = await world();
    broken.state.sourceFault = new Error('A fault of ours.');
    for (let times = 0; times < 5; times += 1) {
      await expect(broken.work()).rejects.toThrow('A fault of ours.');
    }
    expect(await broken.record()).toMatchObject({ status: 'failed', failure: 'could_not_continue' });
  });

  it('leaves its job to another process when this one stops', async () => {
    const { work, record } = await world();
    await expect(work(AbortSignal.abort())).rejects.toThrow('stopping');
    expect(await record()).toMatchObject({ status: 'queued', failedAttempts: 0 });
  });

  it('can be deleted while it is worked on', async () => {
    const { ports, exportId, accountId, step, forgotten } = await world();
    await takeOver(ports, exportId, 'runner');
    await step('runner');
    expect(await deleteExport(ports, newId('account'), exportId)).toBe(false);
    expect(await deleteExport(ports, accountId, exportId)).toBe(true);
    expect(await step('runner')).toBe('ended');
    expect(forgotten).toContain(exportId);
  });
});
