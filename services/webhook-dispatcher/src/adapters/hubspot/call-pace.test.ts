import { describe, expect, it } from '@jest/globals';
import { type Clock, createCallPace } from './call-pace.ts';

/** A clock that advances when a caller waits. */
function openClock(): Clock & { nowMs(): number } {
  let now = 0;
  return {
    nowMs: () => now,
    async wait(ms) {
      now += ms;
    },
  };
}

const { signal } = new AbortController();

async function sentAt(kind: 'call' | 'search', calls: number, headers: Record<string, string> = {}) {
  const clock = openClock();
  const pace = createCallPace({ searchesPerSecondMax: 4, clock });
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    await pace.take(kind, signal);
    times.push(clock.nowMs());
    pace.learn(headers);
  }
  return times;
}

function mostWithin(times: readonly number[], spanMs: number): number {
  return Math.max(
    ...times.map((from, index) => times.slice(index).filter(time => time < from + spanMs).length),
  );
}

describe('the pace of calls', () => {
  it('is never more than nine tenths of the limit in any ten seconds, as soon as it is known', async () => {
    const headers = {
      'x-hubspot-ratelimit-max': '190',
      'x-hubspot-ratelimit-interval-milliseconds': '10000',
    };
    const times = await sentAt('call', 1_000, headers);
    expect(mostWithin(times, 10_000)).toBe(171);
    expect(times.at(-1)).toBe(50_000);
  });

  it('is HubSpot’s smallest until the limit is known', async () => {
    expect(mostWithin(await sentAt('call', 500), 10_000)).toBe(90);
  });

  it('is four searches in any second', async () => {
    const times = await sentAt('search', 40);
    expect(mostWithin(times, 1_000)).toBe(4);
    expect(times.at(-1)).toBe(9_000);
  });

  it('becomes slower where others use the limit up', async () => {
    const headers = {
      'x-hubspot-ratelimit-max': '100',
      'x-hubspot-ratelimit-interval-milliseconds': '10000',
      'x-hubspot-ratelimit-remaining': '2',
    };
    const times = await sentAt('call', 10, headers);
    expect(mostWithin(times, 10_000)).toBe(10);
    expect(mostWithin(times, 1_000)).toBe(1);
  });

  it('lets no call wait longer than is useful', async () => {
    const pace = createCallPace({ searchesPerSecondMax: 4, clock: openClock() });
    pace.hold('call', 60_000);
    await expect(pace.take('call', signal)).rejects.toMatchObject({ kind: 'throttled', waitMs: 60_000 });
    await pace.take('search', signal);
  });
});
