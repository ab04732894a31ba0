import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createYieldingStarts } from './yielding-starts.ts';

const workMs = 5;

function work(): void {
  for (const endsMs = performance.now() + workMs; performance.now() < endsMs; );
}

describe('addresses of lists', () => {
  it('begin at once where nobody waits for a single answer', async () => {
    const { next } = createYieldingStarts();
    const begun: number[] = [];
    const all = Array.from({ length: 100 }, (_, at) => next().then(() => begun.push(at)));
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toHaveLength(100);
    await Promise.all(all);
  });

  it('leave two thirds of the time to whoever waits for one', async () => {
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
    // Twice as long as each has worked, at least, has passed without work ahead of the next.
    expect(idleMs).toBeGreaterThan((starts - 1) * workMs * 2 * 0.9);
  });

  it('go on in the order of their coming, however busy the process is', async () => {
    const { next, yieldTo } = createYieldingStarts();
    yieldTo();
    const begun: number[] = [];
    const all = Promise.all(Array.from({ length: 5 }, (_, at) => next().then(() => begun.push(at))));
    let isOver = false;
    void all.then(() => {
      isOver = true;
    });
    while (!isOver) {
      work();
      yieldTo();
      await setImmediate();
    }
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('begin all together once nobody has waited for a while', async () => {
    const { next, yieldTo } = createYieldingStarts();
    yieldTo();
    await next();
    const beganMs = performance.now();
    let begun = 0;
    const all = Array.from({ length: 1_000 }, () => next().then(() => (begun += 1)));
    await sleep(100);
    expect(begun).toBeLessThan(1_000);
    await Promise.all(all);
    expect(performance.now() - beganMs).toBeGreaterThan(500);
  });
});
