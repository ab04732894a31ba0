import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { limits, newId } from '@mailproof/shared-types';
import { createReadingTurns, TooMuchWaits } from './reading-turns.ts';

const hostile = newId('account');
const other = newId('account');

test('reads requests of one account one at a time, also after one that failed', async () => {
  const inTurn = createReadingTurns();
  let running = 0;
  const most: number[] = [];
  const read = async () => {
    running += 1;
    most.push(running);
    await nextTurn();
    running -= 1;
    if (most.length === 2) throw new Error('Not readable.');
  };
  const ended = await Promise.allSettled(Array.from({ length: 5 }, () => inTurn(hostile, 1, read)));
  expect(ended.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(most).toEqual([1, 1, 1, 1, 1]);
});

test('leaves other accounts half of the processor, and does not let them wait in line', async () => {
  const inTurn = createReadingTurns();
  const busyMs = 20;
  const readings: { readonly startedMs: number; readonly endedMs: number }[] = [];
  const read = async () => {
    const startedMs = performance.now();
    while (performance.now() - startedMs < busyMs);
    readings.push({ startedMs, endedMs: performance.now() });
  };
  const hostileOnes = Array.from({ length: 4 }, () => inTurn(hostile, 1, read));
  await inTurn(other, 1, async () => undefined);
  expect(readings.length).toBeLessThan(2);
  await Promise.all(hostileOnes);
  for (const [at, { endedMs }] of readings.slice(0, -1).entries()) {
    expect((readings[at + 1]?.startedMs ?? 0) - endedMs).toBeGreaterThanOrEqual(busyMs * 0.9);
  }
});

test('refuses what does not fit into the line of its account, and nothing of another one', async () => {
  const inTurn = createReadingTurns();
  const { promise, resolve } = Promise.withResolvers<void>();
  const large = limits.outcomeEventsBytesMax;
  const waiting = Array.from({ length: 4 }, () => inTurn(hostile, large, () => promise));
  await expect(inTurn(hostile, 1, async () => undefined)).rejects.toBeInstanceOf(TooMuchWaits);
  await expect(inTurn(other, large, async () => 'read')).resolves.toBe('read');
  resolve();
  await Promise.all(waiting);
  await expect(inTurn(hostile, large, async () => 'read')).resolves.toBe('read');
});
