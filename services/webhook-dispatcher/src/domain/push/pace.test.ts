import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHostSlots, createPace, type Pace } from './pace.ts';

/** Sends rows at the pace during a period; each is accepted at once. */
function sendUntil(pace: Pace, fromMs: number, untilMs: number): number {
  let sent = 0;
  for (
    let nowMs = Math.max(fromMs, pace.nextAtMs());
    nowMs < untilMs;
    nowMs = Math.max(nowMs, pace.nextAtMs())
  ) {
    pace.sent(nowMs);
    pace.taken(nowMs, nowMs);
    sent += 1;
  }
  return sent;
}

const open = (more: Partial<Parameters<typeof createPace>[0]> = {}) =>
  createPace({ startPerSecond: 8, perSecondMax: 5_000, known: null, nowMs: 0, ...more });

describe('the pace of a push', () => {
  it('begins slowly and grows as long as the receiver takes it', () => {
    const pace = open();
    expect(sendUntil(pace, 0, 500)).toBeLessThanOrEqual(8);
    sendUntil(pace, 500, 30_000);
    expect(pace.perSecond).toBe(5_000);
  });

  it('halves when the receiver asks us to wait, once for all rows that were in flight', () => {
    const pace = open();
    sendUntil(pace, 0, 10_000);
    const before = pace.perSecond;
    expect(pace.throttled(10_000, 9_950)).toBe(true);
    expect(pace.perSecond).toBe(before / 2);
    expect(pace.throttled(10_010, 9_990)).toBe(false);
    expect(pace.perSecond).toBe(before / 2);
    expect(pace.throttled(12_000, 11_990)).toBe(true);
    expect(pace.perSecond).toBe(before / 4);
  });

  it('comes back to a bit below what was too much, and stays there for a minute', () => {
    const pace = open({ known: 100 });
    sendUntil(pace, 0, 10_000);
    const limit = pace.perSecond;
    pace.throttled(10_000, 9_999);
    sendUntil(pace, 11_000, 30_000);
    expect(pace.perSecond).toBeCloseTo(limit * 0.9, -0.5);
    sendUntil(pace, 30_000, 60_000);
    expect(pace.perSecond).toBeCloseTo(limit * 0.9, -0.5);
    sendUntil(pace, 60_000, 120_000);
    expect(pace.perSecond).toBeGreaterThan(limit);
  });

  it('takes what the receiver accepted for its limit, when a growing pace was too fast', () => {
    const pace = open();
    const acceptedEachMs = 40;
    for (let nowMs = 0; nowMs < 5_000; nowMs += acceptedEachMs) {
      pace.sent(nowMs);
      pace.taken(nowMs, nowMs);
    }
    const before = pace.perSecond;
    pace.throttled(5_000, 4_999);
    sendUntil(pace, 6_000, 30_000);
    expect(before).toBeGreaterThan(30);
    expect(pace.perSecond).toBeGreaterThan(22);
    expect(pace.perSecond).toBeLessThan(before * 0.9);
  });

  it('does not grow by answers to rows from before its last change', () => {
    const pace = open();
    sendUntil(pace, 0, 1_000);
    const grown = pace.perSecond;
    for (let nowMs = 1_000; nowMs < 3_000; nowMs += 10) {
      pace.sent(nowMs);
      pace.taken(nowMs, 0);
    }
    expect(pace.perSecond).toBe(grown);
  });

  it('does not grow for rows that were not sent', () => {
    const pace = open();
    for (let nowMs = 0; nowMs < 60_000; nowMs += 2_000) {
      pace.sent(nowMs);
      pace.taken(nowMs, nowMs);
    }
    expect(pace.perSecond).toBe(8);
  });

  it('does not make up for time in which nothing was sent', () => {
    const pace = open({ perSecondMax: 10 });
    expect(sendUntil(pace, 60_000, 61_000)).toBeLessThanOrEqual(10);
  });

  it('continues where another process has left it', () => {
    expect(open({ known: 40 }).perSecond).toBe(40);
    expect(open({ known: 40, perSecondMax: 10 }).perSecond).toBe(10);
    const pace = open({ known: 40 });
    sendUntil(pace, 0, 30_000);
    expect(pace.perSecond).toBeCloseTo(40);
  });

  it('stays within its bounds, for any responses of a receiver', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 5_000, noNaN: true }),
        fc.array(fc.tuple(fc.constantFrom('taken', 'throttled'), fc.integer({ min: 1, max: 90_000 })), {
          maxLength: 200,
        }),
        (perSecondMax, events) => {
          const pace = open({ perSecondMax });
          let nowMs = 0;
          for (const [event, laterMs] of events) {
            nowMs = Math.max(nowMs + laterMs, pace.nextAtMs());
            pace.sent(nowMs);
            if (event === 'taken') {
              pace.taken(nowMs, nowMs);
            } else {
              pace.throttled(nowMs, nowMs);
            }
            expect(pace.perSecond).toBeGreaterThanOrEqual(0.1);
            expect(pace.perSecond).toBeLessThanOrEqual(perSecondMax);
            expect(pace.nextAtMs() - nowMs).toBeLessThanOrEqual(10_100);
          }
        },
      ),
    );
  });
});

describe('slots at hosts', () => {
  it('are so many for each host, in the order in which they were asked for', async () => {
    const slots = createHostSlots(2);
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (host: string, name: string) =>
      slots.take(host, () => {
        started.push(name);
        return new Promise<void>(resolve => ends.set(name, resolve));
      });
    const settle = () => new Promise(resolve => setImmediate(resolve));
    const all = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b1'), work('a', 'a4')];
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    ends.get('a2')?.();
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const name of ['a1', 'a3', 'b1']) {
      ends.get(name)?.();
    }
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    ends.get('a4')?.();
    await Promise.all(all);
  });

  it('are free again after work that failed', async () => {
    const slots = createHostSlots(1);
    await expect(slots.take('a', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
    expect(await slots.take('a', async () => 'right')).toBe('right');
  });
});
