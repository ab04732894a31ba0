import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { forEachRow } from './for-each-row.ts';

function createRows(count: number) {
  const seen = { taken: 0, left: false };
  async function* generate() {
    try {
      for (let row = 1; row <= count; row += 1) {
        seen.taken = row;
        yield row;
      }
    } finally {
      seen.left = true;
    }
  }
  return { rows: generate(), seen };
}

const { signal } = new AbortController();

test('works on no more rows at once than allowed, and takes no more', async () => {
  const { rows, seen } = createRows(100);
  let done = 0;
  let inFlight = 0;
  let peak = 0;
  await forEachRow(rows, 7, signal, async () => {
    inFlight += 1;
    peak = Math.max(peak, inFlight);
    expect(seen.taken - done).toBeLessThanOrEqual(7);
    await setImmediate();
    inFlight -= 1;
    done += 1;
  });
  expect([done, peak]).toEqual([100, 7]);
});

test('ends with the first failure, and leaves the rows', async () => {
  const { rows, seen } = createRows(100);
  const work = forEachRow(rows, 3, signal, async row => {
    await setImmediate();
    if (row === 5) {
      throw new Error('row five');
    }
  });
  await expect(work).rejects.toThrow('row five');
  expect(seen.taken).toBeLessThan(12);
  expect(seen.left).toBe(true);
});

test('begins nothing after the interruption', async () => {
  const { rows } = createRows(100);
  const interruption = new AbortController();
  const started: number[] = [];
  await forEachRow(rows, 3, interruption.signal, async row => {
    started.push(row);
    if (row === 10) {
      interruption.abort();
    }
  });
  expect(started.length).toBeLessThanOrEqual(12);
});
