import { describe, expect, test } from '@jest/globals';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import { emailOf } from '../testing/fakes.ts';
import type { Permission } from './breaker.ts';
import { type Clearance, hearHosts } from './clearance.ts';

const address = '192.0.2.1';
const host = 'mx.a.example';

/** Tells whether the caller waits until the block watch has taken in what a host said. */
async function isWaitedFor(result: ProbeResult, permission: Permission): Promise<boolean> {
  let isTakenIn = false;
  const clearance: Clearance = {
    hosts: [],
    withheld: undefined,
    permissions: new Map([['a.example', permission]]),
  };
  const blockWatch = {
    mayAsk: async () => permission,
    async heard() {
      await new Promise(setImmediate);
      isTakenIn = true;
    },
  };
  await hearHosts({ blockWatch }, emailOf('ada@a.example'), clearance, [
    { kind: 'probed', host, address, result, transcript: [] },
  ]);
  return isTakenIn;
}

const ordinary: Permission = { kind: 'ask', isTrial: false };
const answered: ProbeResult = { kind: 'answered', recipient: 'accepted', madeUp: [], comparedMsAgo: 0 };

describe('what a host says of our address', () => {
  test.each<readonly [string, ProbeResult, Permission, boolean]>([
    ['an ordinary answer is not waited for', answered, ordinary, false],
    ['a block is', { ...answered, recipient: 'blocked' }, ordinary, true],
    ['so is the end of a session', { kind: 'ended', stage: 'mail', finding: 'blocked' }, ordinary, true],
    ['and the answer of a trial', answered, { kind: 'ask', isTrial: true }, true],
  ])('%s', async (_name, result, permission, expected) => {
    expect(await isWaitedFor(result, permission)).toBe(expected);
  });
});
