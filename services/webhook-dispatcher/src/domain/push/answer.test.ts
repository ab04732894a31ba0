import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeAnswer, retryAfterMs } from './answer.ts';
import { answerOf } from './testing/limited-receivers.ts';

const now = new Date('2026-03-01T12:00:00Z');
const judge = (answer: Parameters<typeof judgeAnswer>[0], preset: 'none' | 'google_apps_script' = 'none') =>
  judgeAnswer(answer, { preset, now });

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('%d means that the row was delivered', status => {
    expect(judge(answerOf(status))).toEqual({ kind: 'delivered', statusCode: status });
  });

  it.each([408, 425, 500, 502, 503, 504, 599])('%d means that the row is sent again', status => {
    expect(judge(answerOf(status))).toMatchObject({ kind: 'retry', statusCode: status });
  });

  it.each([400, 402, 405, 409, 411, 413, 415, 418, 422, 451])(
    '%d means that this row is not taken',
    status => {
      expect(judge(answerOf(status))).toEqual({ kind: 'rejected', statusCode: status, fault: 'rejected' });
    },
  );

  it.each([401, 403, 404, 410])('%d means that the destination is wrong', status => {
    expect(judge(answerOf(status))).toEqual({ kind: 'refused', statusCode: status, fault: 'refused' });
  });

  it.each([300, 301, 302, 303, 304, 307, 308])('%d is not followed', status => {
    const location = 'https://script.googleusercontent.com/macros/echo';
    expect(judge(answerOf(status, { location }))).toEqual({
      kind: 'refused',
      statusCode: status,
      fault: 'redirected',
    });
  });

  it('429 makes the push wait, for as long as it says', () => {
    expect(judge(answerOf(429, { retryAfter: '7' }))).toEqual({
      kind: 'throttled',
      statusCode: 429,
      waitMs: 7_000,
    });
    expect(judge(answerOf(429))).toEqual({ kind: 'throttled', statusCode: 429, waitMs: undefined });
  });

  it('503 makes the push wait only with a time', () => {
    expect(judge(answerOf(503, { retryAfter: '7' }))).toMatchObject({ kind: 'throttled', waitMs: 7_000 });
    expect(judge(answerOf(503, { retryAfter: 'soon' }))).toMatchObject({ kind: 'retry' });
    expect(judge(answerOf(500, { retryAfter: '7' }))).toMatchObject({ kind: 'retry' });
  });

  it('that never came means that the row is sent again, unless the receiver may not be contacted', () => {
    expect(judge({ kind: 'none', reason: 'unreachable' })).toMatchObject({
      kind: 'retry',
      fault: 'unreachable',
    });
    expect(judge({ kind: 'none', reason: 'too_late' })).toMatchObject({ kind: 'retry', fault: 'too_late' });
    expect(judge({ kind: 'none', reason: 'not_allowed' })).toMatchObject({
      kind: 'refused',
      fault: 'not_allowed',
    });
  });
});

describe('an answer of Google Apps Script', () => {
  const script = (status: number, location?: string) =>
    judge(answerOf(status, location === undefined ? {} : { location }), 'google_apps_script');

  it('is a redirect to the text of a script that has run', () => {
    expect(script(302, 'https://script.googleusercontent.com/macros/echo?user_content_key=k')).toEqual({
      kind: 'delivered',
      statusCode: 302,
    });
  });

  it.each([
    ['to where people sign in', 302, 'https://accounts.google.com/ServiceLogin', 'redirected'],
    ['to a host that looks alike', 302, 'https://script.googleusercontent.com.example/', 'redirected'],
    ['to nowhere', 302, undefined, 'redirected'],
    ['with the page of a script that threw', 200, undefined, 'unexpected_answer'],
  ])('%s says that the row was not taken', (_what, status, location, fault) => {
    expect(script(status, location)).toEqual({ kind: 'refused', statusCode: status, fault });
  });

  it('is like any other when it fails', () => {
    expect(script(500)).toMatchObject({ kind: 'retry' });
    expect(script(429)).toMatchObject({ kind: 'throttled' });
    expect(script(403)).toMatchObject({ kind: 'refused', fault: 'refused' });
  });
});

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
