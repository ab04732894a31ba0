import { describe, expect, test } from '@jest/globals';
import { firstDelayMs, nextDelayMs, readDelayMs } from './greylisting.ts';

describe('the delay that a host asks for', () => {
  test.each([
    ['4.7.1 Greylisting in action, please come back in 00:05:00', 302_000],
    ['4.2.0 Recipient address rejected: Greylisted for 300 seconds', 302_000],
    ['4.7.1 Greylisted, try again in 294 seconds', 296_000],
    ['You have been greylisted. Please try again in 5 minutes.', 302_000],
  ])('is read from %j', (text, delayMs) => {
    expect(readDelayMs(text)).toBe(delayMs);
  });

  test.each([
    '4.7.1 Greylisted, see http://postgrey.example/help/',
    '4.2.0 try again later',
    '4.7.1 come back in 00:00:00',
    '4.7.1 retry after 999999 seconds',
  ])('is nothing in %j', text => {
    expect(readDelayMs(text)).toBeUndefined();
  });
});

test('attempts come further and further apart, and end', () => {
  const delaysMs = [1, 2, 3, 4, 5, 6].map(nextDelayMs);
  expect(delaysMs).toEqual([
    firstDelayMs * 3,
    firstDelayMs * 9,
    firstDelayMs * 27,
    6 * 3_600_000,
    6 * 3_600_000,
    undefined,
  ]);
});
