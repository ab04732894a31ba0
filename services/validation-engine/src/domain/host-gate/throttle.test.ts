import { describe, expect, test } from '@jest/globals';
import { readReply } from '../smtp/reply.ts';
import { isThrottle } from './throttle.ts';

function outcomeOf(line: string) {
  return { kind: 'reply', reply: readReply(Number(line.slice(0, 3)), [line.slice(4)]) } as const;
}

describe('a host says that we come too often', () => {
  test.each([
    '450 4.7.1 Error: too many connections from 192.0.2.1',
    '421 mx.ordinary.example Too many concurrent SMTP connections; please try again later.',
    '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited. For e-mail delivery information see https://postmaster.live.com',
    '421 4.7.28 Gmail has detected an unusual rate',
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
    '421 4.7.0 mx.ordinary.example Connection rate limit exceeded.',
    '450 4.7.1 You are connecting too often, slow down.',
  ])('%s', line => {
    expect(isThrottle(outcomeOf(line))).toBe(true);
  });
});

describe('something else', () => {
  test.each([
    '250 2.1.5 Ok',
    '450 4.2.0 <ada@ordinary.example>: Recipient address rejected: Greylisted for 300 seconds',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
    '452 4.5.3 Error: too many recipients',
    '421 4.7.0 mx.ordinary.example Error: too many errors',
    '421 4.4.2 mx.ordinary.example Error: timeout exceeded',
    '452 4.2.2 The mailbox is full',
    '554 5.7.1 Service unavailable; rate limit',
  ])('%s', line => {
    expect(isThrottle(outcomeOf(line))).toBe(false);
  });

  test('silence', () => {
    expect(isThrottle({ kind: 'failure', failure: 'timeout' })).toBe(false);
  });
});
