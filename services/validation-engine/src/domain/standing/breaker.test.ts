import { describe, expect, test } from '@jest/globals';
import {
  afterAnswer,
  afterBlock,
  askPermission,
  type Breaker,
  blocksToPause,
  breakerLifetimeMs,
  closedBreaker,
} from './breaker.ts';

const minuteMs = 60_000;

function blockedBy(subjects: readonly string[], nowMs = 0, start: Breaker = closedBreaker): Breaker {
  return subjects.reduce((breaker, subject) => afterBlock(breaker, subject, false, nowMs), start);
}

const paused = blockedBy(['one', 'two', 'three']);

/** Requests the trial that is due at that moment and reports a block. */
function failedTrial(breaker: Breaker, nowMs: number): Breaker {
  const asked = askPermission(breaker, nowMs);
  expect(asked.result).toEqual({ kind: 'ask', isTrial: true });
  return afterBlock(asked.breaker, 'four', true, nowMs);
}

describe('probing continues', () => {
  test.each([
    ['at first', closedBreaker],
    ['after fewer blocks than it takes', blockedBy(['one', 'two'])],
    ['after many blocks that may be one recipient’s own', blockedBy(['one', 'one', 'one', 'one'])],
    ['after an answer in between', blockedBy(['three'], 1, afterAnswer(blockedBy(['one', 'two']), false))],
    ['after blocks that lie far apart', blockedBy(['three'], 11 * minuteMs, blockedBy(['one', 'two']))],
  ])('%s', (_, breaker) => {
    expect(askPermission(breaker, 11 * minuteMs).result).toEqual({ kind: 'ask', isTrial: false });
  });
});

describe('probing pauses', () => {
  test(`after ${blocksToPause} blocks without an answer between them, for a quarter of an hour`, () => {
    const untilMs = 15 * minuteMs;
    expect(askPermission(paused, untilMs - 1).result).toEqual({ kind: 'paused', sinceMs: 0, untilMs });
  });

  test('and earlier sessions change nothing by what they bring', () => {
    expect(afterBlock(paused, 'four', false, 1)).toBe(paused);
    expect(afterAnswer(paused, false)).toBe(paused);
  });

  test('for twice as long after each trial that is refused, up to eight hours', () => {
    let breaker = paused;
    const pausesMinutes: number[] = [];
    let nowMs = 15 * minuteMs;
    for (let trial = 0; trial < 7; trial += 1) {
      breaker = failedTrial(breaker, nowMs);
      const untilMs = breaker.pause?.untilMs ?? 0;
      pausesMinutes.push((untilMs - nowMs) / minuteMs);
      nowMs = untilMs;
    }
    expect(pausesMinutes).toEqual([30, 60, 120, 240, 480, 480, 480]);
    expect(breaker.pause?.sinceMs).toBe(0);
  });
});

describe('a trial', () => {
  const dueMs = 15 * minuteMs;

  test('is made by one alone; the others wait for what it brings', () => {
    const first = askPermission(paused, dueMs);
    expect(first.result).toEqual({ kind: 'ask', isTrial: true });
    expect(askPermission(first.breaker, dueMs).result).toMatchObject({ kind: 'paused', sinceMs: 0 });
  });

  test('that brings an answer ends the pause', () => {
    const { breaker } = askPermission(paused, dueMs);
    expect(askPermission(afterAnswer(breaker, true), dueMs).result).toEqual({ kind: 'ask', isTrial: false });
  });

  test('that is lost makes room for another', () => {
    const { breaker } = askPermission(paused, dueMs);
    expect(askPermission(breaker, dueMs + 130_000).result).toEqual({ kind: 'ask', isTrial: true });
  });
});

test('a state is kept for as long as it means anything', () => {
  expect(breakerLifetimeMs(blockedBy(['one']), 0)).toBe(10 * minuteMs);
  expect(breakerLifetimeMs(paused, 0)).toBeGreaterThan(15 * minuteMs);
});
