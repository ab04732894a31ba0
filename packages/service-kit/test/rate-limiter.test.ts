import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { newId, type RateLimiter } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { createRateLimiter, rememberRefusals } from '../src/http/request-window.ts';
import { openRedis, untilConnected } from '../src/stores/redis.ts';

/** Two connections represent two replicas, which share nothing but Redis. */
let connections: Redis[];
let replicas: RateLimiter[];
let subject: string;

beforeAll(async () => {
  const url = await testRedisUrl();
  connections = [openRedis(url, () => undefined), openRedis(url, () => undefined)];
  await Promise.all(connections.map(redis => untilConnected(redis, 30_000)));
  replicas = connections.map(redis => createRateLimiter(redis, 'lamp'));
});

afterAll(() => {
  for (const redis of connections) {
    redis.disconnect();
  }
});

beforeEach(() => {
  subject = newId('account');
});

/** Longer than any of these tests, so that no window ends within a test unless intended. */
const longWindowMs = 600_000;

function admit(turn: number, limit = 10, windowMs = longWindowMs) {
  const replica = replicas[turn % replicas.length] as RateLimiter;
  return replica.admit(subject, newId('request'), limit, windowMs);
}

describe('the rate limiter', () => {
  it('admits exactly the limit out of a burst at two replicas', async () => {
    const decisions = await Promise.all(Array.from({ length: 200 }, (_, turn) => admit(turn)));
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(10);
  });

  it('counts down and reports when the oldest request leaves the window', async () => {
    const first = await admit(0);
    const second = await admit(1);
    expect([first.remaining, second.remaining]).toEqual([9, 8]);
    expect(second.resetAtMs).toBe(first.resetAtMs);
    expect(second.resetInMs).toBeLessThanOrEqual(longWindowMs);
  });

  it('admits no more than the limit in any window, however requests are spread', async () => {
    const windowMs = 200;
    const admittedAtMs: number[] = [];
    // Four windows' worth, which is reached only because windows end.
    for (let turn = 0; admittedAtMs.length < 20; turn += 1) {
      const decision = await admit(turn, 5, windowMs);
      if (decision.admitted) {
        admittedAtMs.push(decision.resetAtMs - decision.resetInMs);
      }
    }
    // Each decision has Redis's time; rounding the reset loses a millisecond.
    const tooClose = admittedAtMs.filter(
      (atMs, index) => atMs - (admittedAtMs[index - 5] ?? -Infinity) < windowMs - 1,
    );
    expect(tooClose).toEqual([]);
  });

  it('does not count what it refuses', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, turn) => admit(turn, 5)));
    const [redis] = connections as [Redis];
    expect(await redis.zcard(`rate:lamp:${subject}`)).toBe(5);
  });

  it('recovers at once from a clock that was set back', async () => {
    const [redis] = connections as [Redis];
    const inAnHour = (Date.now() + 3_600_000) * 1_000;
    await redis.zadd(
      `rate:lamp:${subject}`,
      ...Array.from({ length: 10 }, (_, n) => [inAnHour + n, `future-${n}`]).flat(),
    );
    expect((await admit(0)).admitted).toBe(true);
  });

  it('leaves nothing behind', async () => {
    await admit(0);
    const [redis] = connections as [Redis];
    expect(await redis.pttl(`rate:lamp:${subject}`)).toBeGreaterThan(0);
  });
});

describe('a limiter that remembers its refusals', () => {
  it('asks Redis no more for a subject that was refused, until the oldest request leaves the window', async () => {
    const [limiter] = replicas as [RateLimiter];
    let asked = 0;
    const remembering = rememberRefusals({
      admit: (...request) => {
        asked += 1;
        return limiter.admit(...request);
      },
    });
    const windowMs = 500;
    const ask = () => remembering.admit(subject, newId('request'), 2, windowMs);
    const decisions = [await ask(), await ask(), await ask()];
    expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true, false]);
    const resetAtMs = decisions[2]?.resetAtMs;
    let refused = 0;
    let last = await ask();
    while (!last.admitted) {
      refused += 1;
      expect(last).toMatchObject({ admitted: false, limit: 2, remaining: 0, resetAtMs });
      expect(last.resetInMs).toBeLessThanOrEqual(windowMs);
      await new Promise(setImmediate);
      last = await ask();
    }
    expect(refused).toBeGreaterThan(10);
    // Three to use up the window, and one admitted after it ended; a lagging clock may need one more.
    expect(asked).toBeLessThanOrEqual(5);
  });

  it('counts subjects separately and applies a changed limit', async () => {
    const remembering = rememberRefusals(replicas[0] as RateLimiter);
    const ask = (of: string, limit: number) => remembering.admit(of, newId('request'), limit, longWindowMs);
    await ask(subject, 1);
    expect((await ask(subject, 1)).admitted).toBe(false);
    expect((await ask(newId('account'), 1)).admitted).toBe(true);
    expect((await ask(subject, 2)).admitted).toBe(true);
  });
});
