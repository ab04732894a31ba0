import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { shuffledList } from '../testing/fakes.ts';
import { type AddressList, deadlineAfter } from './deadline.ts';
import { createSingleFlight, createYieldingStarts } from './in-flight.ts';

const workMs = 5;

function work(): void {
  for (const endsMs = performance.now() + workMs; performance.now() < endsMs; );
}

describe('addresses of lists', () => {
  it('start at once if no client waits for a single answer', async () => {
    const { next } = createYieldingStarts();
    const started: number[] = [];
    const all = Array.from({ length: 100 }, (_, at) => next().then(() => started.push(at)));
    await Promise.resolve();
    await Promise.resolve();
    expect(started).toHaveLength(100);
    await Promise.all(all);
  });

  it('leave two thirds of the time to clients that wait for one', async () => {
    const { next, yieldTo } = createYieldingStarts();
    const starts = 20;
    let idleMs = 0;
    yieldTo();
    await next();
    for (let start = 1; start < starts; start += 1) {
      work();
      const before = performance.eventLoopUtilization();
      yieldTo();
      await next();
      const { idle, active } = performance.eventLoopUtilization(before);
      idleMs += idle + active;
    }
    // Before each start, the process has been idle for at least twice the working time of the previous one.
    expect(idleMs).toBeGreaterThan((starts - 1) * workMs * 2 * 0.9);
  });

  it('start in the order of their arrival, however busy the process is', async () => {
    const { next, yieldTo } = createYieldingStarts();
    yieldTo();
    const started: number[] = [];
    const all = Promise.all(Array.from({ length: 5 }, (_, at) => next().then(() => started.push(at))));
    let isOver = false;
    void all.then(() => {
      isOver = true;
    });
    while (!isOver) {
      work();
      yieldTo();
      await setImmediate();
    }
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  it('start all together once no client has waited for a while', async () => {
    const { next, yieldTo } = createYieldingStarts();
    yieldTo();
    await next();
    const startedMs = performance.now();
    let started = 0;
    const all = Array.from({ length: 1_000 }, () => next().then(() => (started += 1)));
    await sleep(100);
    expect(started).toBeLessThan(1_000);
    await Promise.all(all);
    expect(performance.now() - startedMs).toBeGreaterThan(500);
  });
});

describe('work that several callers wait for', () => {
  it('is not that of a list, even if all of them are: what many wait for goes first', async () => {
    const clock = { nowMs: () => 0 };
    const signal = new AbortController().signal;
    const flights = createSingleFlight<AddressList | undefined>(clock, 60_000);
    const join = () =>
      flights.join('key', deadlineAfter(clock, 1_000, signal, shuffledList), async ({ list }) => list);
    expect(await Promise.all([join(), join()])).toEqual([undefined, undefined]);
  });
});
