import { describe, expect, test } from '@jest/globals';
import { loadFaults, loadTables } from './load-table.ts';
import { type LoadRun, validationKind } from './run-load.ts';
import type { LoadResult } from './start-generator.ts';

function runOf(result: Pick<LoadResult, 'p99Ms' | 'calm'>): LoadRun {
  const times = { p50Ms: 5, p90Ms: 10, p999Ms: 90, maxMs: 100 };
  return {
    startedAt: new Date(),
    minutes: 10,
    results: [{ name: validationKind, due: 90_000, answered: 90_000, errors: {}, ...times, ...result }],
    jobs: { jobs: 40, rows: 8_000, seconds: [9], errors: [] },
    services: [],
    stolenPercent: 1.5,
  };
}

describe('the p99 of a cached validation', () => {
  test('is that of all requests if steal time is not measured', () => {
    expect(loadFaults(runOf({ p99Ms: 50 }))).toEqual([]);
    expect(loadFaults(runOf({ p99Ms: 50.1 }))).toEqual([expect.stringContaining('is 50.1 ms, more than 50')]);
    expect(loadTables(runOf({ p99Ms: 50 }))).toContain('is not counted here, so all are judged.');
  });

  test('is that of the calm where there are enough of them', () => {
    expect(loadFaults(runOf({ p99Ms: 80, calm: { answered: 10_000, p99Ms: 50 } }))).toEqual([]);
    const missed = runOf({ p99Ms: 49, calm: { answered: 10_000, p99Ms: 50.1 } });
    expect(loadFaults(missed)).toEqual([expect.stringContaining('is 50.1 ms')]);
    const tables = loadTables(missed);
    expect(tables).toContain(
      '10000 × cached validation (11 %) were due while the hypervisor gave nothing to others: their p99 is 50.1 ms, and is judged.',
    );
    expect(tables).toContain('MISSED');
  });

  test('is that of all where fewer are calm', () => {
    const run = runOf({ p99Ms: 80, calm: { answered: 9_999, p99Ms: 40 } });
    expect(loadFaults(run)).toEqual([expect.stringContaining('is 80.0 ms')]);
    expect(loadTables(run)).toContain('fewer than 10000, so all are judged.');
  });
});
