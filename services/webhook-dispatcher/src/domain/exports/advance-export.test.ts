import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { noteExportFault } from './advance-export.ts';
import type { Export } from './export.ts';

const hourMs = 3_600_000;
const now = new Date('2026-03-04T05:06:07Z');
const ago = (hours: number) => new Date(now.getTime() - hours * hourMs);

/** The changes that are stored after a fault of the export's runner. */
async function changesAfter(
  record: Partial<Export>,
  { isUnavailable, runner = 'a' }: { isUnavailable: boolean; runner?: string },
) {
  const exportId = newId('export');
  const found = {
    ...{
      exportId,
      status: 'running',
      movedAt: now,
      pauseReason: null,
      resumesAt: null,
      failedAttempts: 0,
      runner: 'a',
    },
    ...record,
  } as Export;
  const changes: unknown[] = [];
  const exports = {
    find: async () => found,
    change: async (_: Export, change: object) => {
      changes.push(change);
      return { ...found, ...change };
    },
  };
  const ports = {
    exports,
    delivery: { forget: async () => undefined },
    events: { exportEnded: () => undefined },
    now: () => now,
  } as unknown as Parameters<typeof noteExportFault>[0];
  await noteExportFault(ports, exportId, runner, isUnavailable);
  return changes;
}

const givenUp = [expect.objectContaining({ status: 'failed', failure: 'could_not_continue' })];

describe('a fault of an export', () => {
  it('on our side is counted, and the fifth in a row ends it', async () => {
    expect(await changesAfter({ failedAttempts: 3 }, { isUnavailable: false })).toEqual([
      { failedAttempts: 4 },
    ]);
    expect(await changesAfter({ failedAttempts: 4 }, { isUnavailable: false })).toEqual(givenUp);
  });

  it('because something is away is waited out for a day', async () => {
    expect(await changesAfter({ movedAt: ago(23) }, { isUnavailable: true })).toEqual([]);
    expect(await changesAfter({ movedAt: ago(25) }, { isUnavailable: true })).toEqual(givenUp);
  });

  it('right behind a long pause ends nothing: the pause was no standstill', async () => {
    const pause = { movedAt: ago(40), pauseReason: 'receiver_asked' } as const;
    expect(await changesAfter({ ...pause, resumesAt: ago(0) }, { isUnavailable: true })).toEqual([]);
    expect(
      await changesAfter({ ...pause, pauseReason: 'asked', resumesAt: null }, { isUnavailable: true }),
    ).toEqual([]);
  });

  it('of a worker that has lost the export to another says nothing of it', async () => {
    expect(await changesAfter({ failedAttempts: 4 }, { isUnavailable: false, runner: 'b' })).toEqual([]);
  });
});
