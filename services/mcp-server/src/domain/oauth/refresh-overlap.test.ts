import { describe, expect, it } from '@jest/globals';
import { isInOverlap, isTooNewToReplace } from './refresh-overlap.ts';

const replacedAt = new Date('2026-01-01T00:00:00.000Z');
const at = (seconds: number) => new Date(replacedAt.getTime() + seconds * 1_000);

describe('a replaced refresh token', () => {
  const lost = { replacedAt, successorReceivedAt: undefined, isSuccessorReplaced: false };

  it('gets its successor for the whole overlap while nothing shows that the client has it', () => {
    expect([0, 59.999, 60, 3_600].map(seconds => isInOverlap(lost, 60, at(seconds)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('gets it for ten seconds more, and no longer than the overlap, once the client has it', () => {
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

  it('gets nothing once its successor was replaced, and nothing where there is no overlap', () => {
    expect(isInOverlap({ ...lost, isSuccessorReplaced: true }, 60, at(1))).toBe(false);
    expect(isInOverlap(lost, 0, at(0))).toBe(false);
    // Another replica's clock may be behind.
    expect(isInOverlap(lost, 0, at(-1))).toBe(false);
  });
});

describe('a refresh token that replaced another', () => {
  it('is not replaced within ten seconds, or within the overlap where that is shorter', () => {
    expect([0, 9.999, 10].map(seconds => isTooNewToReplace(replacedAt, 60, at(seconds)))).toEqual([
      true,
      true,
      false,
    ]);
    expect([4, 5].map(seconds => isTooNewToReplace(replacedAt, 5, at(seconds)))).toEqual([true, false]);
  });

  it('is replaced at each use where there is no overlap, as is the first one of a connection', () => {
    expect([-1, 0].map(seconds => isTooNewToReplace(replacedAt, 0, at(seconds)))).toEqual([false, false]);
    expect(isTooNewToReplace(undefined, 60, at(0))).toBe(false);
  });
});
