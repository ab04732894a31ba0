import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { isUnavailable, Problem, unavailable } from '@mailproof/service-kit';
import { limits, newId } from '@mailproof/shared-types';
import { createExportStore } from '../src/adapters/postgres/export-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { type DownloadClock, type DownloadPorts, readRows } from '../src/domain/exports/download.ts';
import type { Export } from '../src/domain/exports/export.ts';
import type { RowSources } from '../src/domain/exports/row-sources.ts';

let opened: OpenTestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase('webhook-dispatcher', openDatabase);
});

afterAll(async () => {
  await opened?.close();
});

/** An export of this many rows to a file, whose source records the requested keys. */
async function fileOf(rows: number) {
  const exports = createExportStore(opened.pool);
  const outcome = await exports.create(
    {
      exportId: newId('export'),
      accountId: newId('account'),
      createdBy: newId('user'),
      requestId: null,
      name: 'Rows',
      source: { kind: 'saved_people' },
      target: 'csv',
      options: {},
      columns: ['first', 'second'],
      rowsTotal: rows,
      rowsOpen: 0,
      createdAt: new Date(),
      deletedAt: new Date(Date.now() + 1e9),
    },
    5,
  );
  const keys = Array.from({ length: rows }, (_, at) => String(at + 1));
  const page = {
    keys,
    open: 0,
    isLast: true,
    rowsMax: rows,
    state: 'delivered',
    movedAt: new Date(),
  } as const;
  const record = outcome.kind === 'created' && (await exports.appendKeys(outcome.record, page));
  const asked: string[][] = [];
  const sources: RowSources = {
    list: () => Promise.reject(new Error('Nothing is listed while a file is read.')),
    async read(_accountId, _source, some) {
      asked.push([...some]);
      // Meanwhile, a release has changed the order of the columns.
      return {
        columns: ['second', 'first', 'third'],
        rows: some.map(key => ({ key, values: [key, `first ${key}`, 'new'] })),
        keysRead: some.length,
      };
    },
  };
  let nowMs = 0;
  const clock: DownloadClock = {
    nowMs: () => nowMs,
    async wait(ms) {
      nowMs += ms;
    },
  };
  return { exports, sources, isUnavailable, clock, asked, record: record as Export };
}

/** Makes reads fail, from the second page on, until the clock says this time. */
function awayUntil(
  untilMs: number,
  { sources, clock }: Pick<DownloadPorts, 'sources' | 'clock'>,
): RowSources {
  let reads = 0;
  return {
    ...sources,
    async read(...asked) {
      reads += 1;
      if (reads > 1 && clock.nowMs() < untilMs) {
        throw unavailable('The engine restarts.');
      }
      return sources.read(...asked);
    },
  };
}

describe('a file', () => {
  it('has every row in order, in the columns that the export began with', async () => {
    const rows = limits.exportRowsPerReadMax + 2;
    const { record, asked, ...ports } = await fileOf(rows);
    const read = [];
    for await (const page of readRows(ports, record, 'delivered', new AbortController().signal)) {
      read.push(...page.map(({ values }) => values));
    }
    expect(read).toEqual(Array.from({ length: rows }, (_, at) => [`first ${at + 1}`, String(at + 1)]));
    expect(asked.map(({ length }) => length)).toEqual([limits.exportRowsPerReadMax, 2]);
  });

  it('breaks off where the export is deleted meanwhile', async () => {
    const { record, asked, ...ports } = await fileOf(2 * limits.exportRowsPerReadMax);
    const pages = readRows(ports, record, 'delivered', new AbortController().signal);
    await pages.next();
    await ports.exports.delete(record.accountId, record.exportId);
    await expect(pages.next()).rejects.toThrow('was deleted');
    expect(asked).toHaveLength(1);
  });

  it('continues with the page that it has not read when the service that has the rows is back', async () => {
    const { record, asked, ...ports } = await fileOf(2 * limits.exportRowsPerReadMax);
    const restarting = { ...ports, sources: awayUntil(40_000, ports) };
    const read = [];
    for await (const page of readRows(restarting, record, 'delivered', new AbortController().signal)) {
      read.push(...page.map(({ values }) => values[1]));
    }
    expect(read).toEqual(Array.from({ length: 2 * limits.exportRowsPerReadMax }, (_, at) => String(at + 1)));
  });

  it('breaks off, within the time in which a silent connection is kept, where that service stays away', async () => {
    const { record, asked, ...ports } = await fileOf(2 * limits.exportRowsPerReadMax);
    const gone = { ...ports, sources: awayUntil(Number.POSITIVE_INFINITY, ports) };
    const pages = readRows(gone, record, 'delivered', new AbortController().signal);
    await pages.next();
    await expect(pages.next()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(ports.clock.nowMs()).toBeGreaterThan(40_000);
    expect(ports.clock.nowMs()).toBeLessThan(50_000);
  });

  it('fails at once at its first page, so that the reader is told instead of waiting', async () => {
    const { record, asked, ...ports } = await fileOf(1);
    const sources: RowSources = {
      ...ports.sources,
      read: () => Promise.reject(unavailable('The engine restarts.')),
    };
    const pages = readRows({ ...ports, sources }, record, 'delivered', new AbortController().signal);
    await expect(pages.next()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(ports.clock.nowMs()).toBe(0);
  });

  it('breaks off at a failure that does not pass', async () => {
    const { record, asked, ...ports } = await fileOf(2 * limits.exportRowsPerReadMax);
    let reads = 0;
    const sources: RowSources = {
      ...ports.sources,
      async read(...some) {
        reads += 1;
        if (reads > 1) {
          throw new Problem('export_source_not_found');
        }
        return ports.sources.read(...some);
      },
    };
    const pages = readRows({ ...ports, sources }, record, 'delivered', new AbortController().signal);
    await pages.next();
    await expect(pages.next()).rejects.toMatchObject({ code: 'export_source_not_found' });
    expect(ports.clock.nowMs()).toBe(0);
  });

  it('whose reader has left is read no further', async () => {
    const { record, asked, ...ports } = await fileOf(3 * limits.exportRowsPerReadMax);
    const gone = new AbortController();
    const pages = readRows(ports, record, 'delivered', gone.signal);
    await pages.next();
    expect(asked).toHaveLength(1);
    gone.abort(new Error('The client has left.'));
    await expect(pages.next()).rejects.toThrow('The client has left.');
    expect(asked).toHaveLength(1);
  });
});
