import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryAfterMs } from './retry-after.ts';

const now = new Date('2026-03-01T12:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['1', 1_000],
    [' 120 ', 120_000],
    ['1.5', 1_500],
    ['604800', 604_800_000],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sunday, 01-Mar-26 12:00:30 GMT', 30_000],
    ['Sun Mar  1 12:00:30 2026', 30_000],
    ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('%p is a wait of %d ms', (header, waitMs) => {
    expect(retryAfterMs(header, now)).toBe(waitMs);
  });

  it.each([
    undefined,
    '',
    'soon',
    '-1',
    '1e3',
    '0x10',
    '10 seconds',
    '604801',
    '1772366400',
    '99999999999999999999',
    'Sun, 99 Mar 2026 12:00:30 GMT',
    'Fri, 01 Mar 2030 12:00:30 GMT',
    '2026-03-01T12:00:30Z',
    'Infinity',
    'NaN',
  ])('%p says nothing', header => {
    expect(retryAfterMs(header, now)).toBeUndefined();
  });

  it('is never a wait that is negative, endless or no number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(String)), header => {
        const waitMs = retryAfterMs(header, now) ?? 0;
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(7 * 86_400_000);
      }),
    );
  });

  it('is read back from whole seconds and from dates', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 604_800 }), seconds => {
        const date = new Date(now.getTime() + seconds * 1_000).toUTCString();
        expect(retryAfterMs(String(seconds), now)).toBe(seconds * 1_000);
        expect(retryAfterMs(date, now)).toBe(seconds * 1_000);
      }),
    );
  });
});
