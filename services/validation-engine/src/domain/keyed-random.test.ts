import { describe, expect, test } from '@jest/globals';
import { keyedRandom } from './keyed-random.ts';

const key = new TextEncoder().encode('a key');
const take = (subject: string, nowMs: number, ofKey = key) => {
  const random = keyedRandom(ofKey, subject, nowMs);
  return [random(), random(), random()];
};

describe('keyed random numbers', () => {
  test('are the same for a subject within the week, and others a week later', () => {
    expect(take('a.example', 0)).toEqual(take('a.example', 6 * 24 * 3_600_000));
    expect(take('a.example', 0)).not.toEqual(take('a.example', 7 * 24 * 3_600_000));
  });

  test('differ by subject and by key', () => {
    expect(take('a.example', 0)).not.toEqual(take('b.example', 0));
    expect(take('a.example', 0)).not.toEqual(take('a.example', 0, new TextEncoder().encode('another')));
  });

  test('lie between zero and one and do not repeat', () => {
    const numbers = take('a.example', 0);
    expect(numbers.every(number => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBe(3);
  });
});
