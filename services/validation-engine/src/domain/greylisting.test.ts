import { describe, expect, test } from '@jest/globals';
import { firstDelayMs, isPlainDeferral, mayBeGreylisted, nextDelayMs, readDelayMs } from './greylisting.ts';
import { classifyReply } from './reply/classify-reply.ts';
import { readReply } from './smtp/reply.ts';
import { deferredInPlainWords } from './testing/fakes.ts';

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

describe('a passing refusal', () => {
  const isPlain = (line: string) => {
    const reply = readReply(Number(line.slice(0, 3)), [line.slice(4)]);
    return isPlainDeferral(classifyReply(reply, 'rcpt'), reply);
  };

  test.each(['451 Not now', '450 4.3.0 <ada@a.example>: Come again', '451 4.3.0 Temporary lookup failure'])(
    'may come from a greylist whatever its words: %s',
    line => expect(isPlain(line)).toBe(true),
  );

  test.each([
    '452 4.2.2 Mailbox full',
    '450 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '450 4.7.0 Must issue a STARTTLS command first',
    '452 4.5.3 Too many recipients',
    '450 4.7.1 Error: too many connections from 192.0.2.1',
    '450 4.2.1 The user you are trying to contact is receiving mail too quickly.',
    '450 4.1.1 <ada@a.example>: User unknown',
    '421 4.3.2 Shutting down',
    '550 Rejected',
  ])('with another ground does not: %s', line => expect(isPlain(line)).toBe(false));

  test('leaves a verdict open only where nothing else decided it', () => {
    expect(mayBeGreylisted('temporary_failure', deferredInPlainWords())).toBe(true);
    expect(mayBeGreylisted('blocked', deferredInPlainWords())).toBe(false);
    expect(mayBeGreylisted('temporary_failure', deferredInPlainWords('421 Busy'))).toBe(false);
    expect(mayBeGreylisted('temporary_failure', { attempts: [] })).toBe(false);
  });
});
