import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  afterStart,
  afterThrottle,
  freshPace,
  type HostPace,
  isAtRest,
  levelMaxOf,
  levelOf,
  minuteMs,
  recoveryMs,
  waitMsOf,
} from './host-pace.ts';

const startsPerMinuteMax = 10;

/** Starts a session as soon as allowed from the given time on. */
function beginNext(pace: HostPace, nowMs: number): { pace: HostPace; atMs: number } {
  const atMs = nowMs + waitMsOf(pace, startsPerMinuteMax, nowMs);
  expect(waitMsOf(pace, startsPerMinuteMax, atMs)).toBe(0);
  return { pace: afterStart(pace, atMs), atMs };
}

test('no minute has more starts than allowed, regardless of when they are requested and what the host says', () => {
  const moments = fc.array(
    fc.record({ gapMs: fc.integer({ min: 0, max: 20_000 }), throttles: fc.boolean() }),
    {
      maxLength: 120,
    },
  );
  fc.assert(
    fc.property(moments, asked => {
      let pace = freshPace;
      let nowMs = 0;
      const starts: number[] = [];
      for (const { gapMs, throttles } of asked) {
        const started = beginNext(pace, nowMs + gapMs);
        ({ pace, atMs: nowMs } = started);
        starts.push(started.atMs);
        pace = throttles ? afterThrottle(pace, startsPerMinuteMax, started.atMs, nowMs) : pace;
      }
      for (const [index, startMs] of starts.entries()) {
        const within = starts.slice(index).filter(other => other - startMs < minuteMs).length;
        expect(within).toBeLessThanOrEqual(startsPerMinuteMax);
      }
    }),
  );
});

describe('a host that throttles', () => {
  test('gets half as many a minute each time, down to one', () => {
    let pace = freshPace;
    const spacingsMs: number[] = [];
    for (let times = 0; times < 6; times += 1) {
      pace = afterStart(pace, times);
      pace = afterThrottle(pace, startsPerMinuteMax, times, times);
      spacingsMs.push(waitMsOf(pace, startsPerMinuteMax, times));
    }
    // Half of ten per minute is one in twelve seconds.
    expect(spacingsMs).toEqual([12_000, 24_000, 48_000, 60_000, 60_000, 60_000]);
    expect(levelMaxOf(startsPerMinuteMax)).toBe(4);
  });

  test('gets twice as many again for each while without complaint', () => {
    const pace = { starts: [], slowed: { level: 2, atMs: 0 } };
    expect(
      [0, recoveryMs - 1, recoveryMs, 2 * recoveryMs, 9 * recoveryMs].map(ms => levelOf(pace.slowed, ms)),
    ).toEqual([2, 2, 1, 0, 0]);
    expect(isAtRest(pace, recoveryMs)).toBe(false);
    expect(isAtRest(pace, 2 * recoveryMs)).toBe(true);
  });

  test('complains once through all sessions that ran together', () => {
    const once = afterThrottle(freshPace, startsPerMinuteMax, 100, 200);
    expect(afterThrottle(once, startsPerMinuteMax, 150, 300)).toBe(once);
    expect(afterThrottle(once, startsPerMinuteMax, 250, 300).slowed).toEqual({ level: 2, atMs: 300 });
  });
});

test('a cap of one a minute is a pace too', () => {
  const pace = afterThrottle(afterStart(freshPace, 0), 1, 0, 0);
  expect(waitMsOf(pace, 1, 0)).toBe(minuteMs);
  expect(waitMsOf(pace, 1, minuteMs)).toBe(0);
});
