import { describe, expect, it } from '@jest/globals';
import { isInOverlap as isHonest, isKept, type ReplacedToken } from './refresh-overlap.ts';

const replacedAt = new Date('2026-01-01T00:00:00.000Z');
const at = (seconds: number) => new Date(replacedAt.getTime() + seconds * 1_000);
const isInOverlap = (replaced: ReplacedToken, overlapSeconds: number, now: Date) =>
  isHonest(replaced, overlapSeconds, { arrivedAt: now, now });

describe('a replaced refresh token', () => {
  const lost = { replacedAt, successorReceivedAt: undefined, successorReplacedAt: undefined };

  it('gets its successor during the whole overlap while nothing shows that the client has it', () => {
    expect([0, 59.999, 60, 3_600].map(seconds => isInOverlap(lost, 60, at(seconds)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('gets it for ten more seconds, within the overlap, once the client has it', () => {
    const received = { ...lost, successorReceivedAt: at(1) };
    expect([1, 10.999, 11, 59].map(seconds => isInOverlap(received, 60, at(seconds)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const receivedLate = { ...lost, successorReceivedAt: at(58) };
    expect([59, 60].map(seconds => isInOverlap(receivedLate, 60, at(seconds)))).toEqual([true, false]);
  });

  it('gets nothing once its successor was replaced, and nothing without an overlap', () => {
    expect(isInOverlap({ ...lost, successorReplacedAt: at(1) }, 60, at(1))).toBe(false);
    expect(isInOverlap(lost, 0, at(0))).toBe(false);
    // Another replica's clock may be behind.
    expect(isInOverlap(lost, 0, at(-1))).toBe(false);
  });
});

describe('a request that waited for a lock', () => {
  it('counts by its time of arrival', () => {
    const replaced = { replacedAt, successorReceivedAt: at(2), successorReplacedAt: at(2) };
    expect(isHonest(replaced, 60, { arrivedAt: at(1.999), now: at(3) })).toBe(true);
    expect(isHonest(replaced, 60, { arrivedAt: at(2), now: at(3) })).toBe(false);
    expect(isHonest(replaced, 60, { arrivedAt: at(1.999), now: at(12) })).toBe(false);
  });
});

describe('a refresh token that was given twice', () => {
  it('is kept for ten seconds, or for the overlap if that is shorter', () => {
    expect([0, 9.999, 10].map(seconds => isKept(replacedAt, 60, at(seconds)))).toEqual([true, true, false]);
    expect([4, 5].map(seconds => isKept(replacedAt, 5, at(seconds)))).toEqual([true, false]);
  });

  it('is replaced at each use without an overlap, like one that was given once', () => {
    expect([-1, 0].map(seconds => isKept(replacedAt, 0, at(seconds)))).toEqual([false, false]);
    expect(isKept(undefined, 60, at(0))).toBe(false);
  });
});
