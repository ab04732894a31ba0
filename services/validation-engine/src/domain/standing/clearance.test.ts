import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import { emailOf } from '../testing/fakes.ts';
import { createLocalBreakerStore, type Permission } from './breaker.ts';
import {
  type BlockWatch,
  type Clearance,
  createBlockWatch,
  createHarvestGuard,
  type Party,
  partyOf,
  recordReplies,
} from './clearance.ts';

const address = '192.0.2.1';
const host = 'mx.a.example';

/** Returns whether the caller waits until the block watch has recorded what a host said. */
async function isWaitedFor(result: ProbeResult, permission: Permission): Promise<boolean> {
  let isRecorded = false;
  const clearance: Clearance = {
    hosts: [],
    withheld: undefined,
    permissions: new Map([['a.example', permission]]),
  };
  const blockWatch = {
    mayAsk: async () => permission,
    async recordReply() {
      await new Promise(setImmediate);
      isRecorded = true;
    },
  };
  await recordReplies({ blockWatch }, emailOf('ada@a.example'), clearance, [
    { kind: 'probed', host, address, result, transcript: [] },
  ]);
  return isRecorded;
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

let nowMs: number;
let watch: BlockWatch;
let events: string[];

function createWatch(sourceAddress: string, breakers = createLocalBreakerStore(() => nowMs)): BlockWatch {
  return createBlockWatch({
    breakers,
    sourceAddress,
    hashOf: text => text,
    freemailDomains: new Set(['freemail.example']),
    events: {
      probingPaused: ({ name }) => void events.push(`paused ${name}`),
      probingResumed: ({ name }) => void events.push(`resumed ${name}`),
    },
  });
}

beforeEach(() => {
  nowMs = 0;
  events = [];
  watch = createWatch('default');
});

const microsoft = partyOf('company-example.mail.protection.outlook.com');
const house = partyOf('mx1.house.example');
const atGreeting: ProbeResult = { kind: 'ended', stage: 'greeting', finding: 'blocked' };
const atRecipient: ProbeResult = { kind: 'answered', recipient: 'blocked', madeUp: [], comparedMsAgo: 0 };

async function stateAfter(party: Party, result: ProbeResult, addresses: readonly string[]): Promise<string> {
  for (const address of addresses) {
    await watch.recordReply(party, result, emailOf(address), false);
  }
  return (await watch.mayAsk(party)).kind;
}

const oneDomain = ['a@company.example', 'b@company.example', 'c@company.example', 'd@company.example'];
const threeDomains = ['a@one.example', 'a@two.example', 'a@three.example'];

describe('who refuses our address', () => {
  test.each([
    ['a provider, at the greeting', microsoft, atGreeting, oneDomain, 'paused'],
    ['a provider, at recipients of several domains', microsoft, atRecipient, threeDomains, 'paused'],
    ['one customer of a provider, at its recipients', microsoft, atRecipient, oneDomain, 'ask'],
    [
      'a consumer service, at its recipients',
      microsoft,
      atRecipient,
      ['a@freemail.example', 'b@freemail.example', 'c@freemail.example'],
      'paused',
    ],
    ['a self-hosted domain, at its recipients', house, atRecipient, oneDomain, 'paused'],
  ] as const)('%s', async (_, party, result, addresses, expected) => {
    expect(await stateAfter(party, result, addresses)).toBe(expected);
    expect(events).toEqual(expected === 'paused' ? [`paused ${party.name}`] : []);
  });

  test.each([
    { kind: 'ended', stage: 'greeting', finding: 'timeout' },
    { kind: 'ended', stage: 'ehlo', finding: 'policy' },
    { kind: 'answered', recipient: 'greylisted', madeUp: [], comparedMsAgo: 0 },
    { kind: 'answered', recipient: 'refused', madeUp: [], comparedMsAgo: 0 },
    { kind: 'smtputf8_unsupported' },
  ] as const)('is not told by %j, nor is who does not', async result => {
    await stateAfter(house, atGreeting, oneDomain.slice(0, 2));
    await stateAfter(house, result, oneDomain);
    expect((await watch.mayAsk(house)).kind).toBe('ask');
    expect(await stateAfter(house, atGreeting, oneDomain.slice(2))).toBe('paused');
  });
});

test('an answer to the trial resumes probing', async () => {
  await stateAfter(house, atGreeting, oneDomain);
  nowMs = 15 * 60_000;
  expect(await watch.mayAsk(house)).toEqual({ kind: 'ask', isTrial: true });
  const answered: ProbeResult = { kind: 'answered', recipient: 'missing', madeUp: [], comparedMsAgo: 0 };
  await watch.recordReply(house, answered, emailOf('a@company.example'), true);
  expect(await watch.mayAsk(house)).toEqual({ kind: 'ask', isTrial: false });
  expect(events).toEqual(['paused house.example', 'resumed house.example']);
});

test('another address of ours and another party have their own standing', async () => {
  const breakers = createLocalBreakerStore(() => nowMs);
  watch = createWatch('192.0.2.1', breakers);
  expect(await stateAfter(house, atGreeting, oneDomain)).toBe('paused');
  expect((await watch.mayAsk(partyOf('mx.other.example'))).kind).toBe('ask');
  expect((await watch.mayAsk(partyOf('mx2.house.example'))).kind).toBe('paused');
  expect((await createWatch('192.0.2.2', breakers).mayAsk(house)).kind).toBe('ask');
});

const accountId = newId('account');

/** The guard of an account that has asked about this many addresses, all of them missing. */
function guardWith(asked: number, addressesMax = 10) {
  const counted: string[] = [];
  const guard = createHarvestGuard({
    counter: {
      async ask(_account, email, guessing) {
        const isCounted = asked < guessing.addressesMax;
        if (isCounted) {
          counted.push(`asked ${email.normalized}`);
        }
        return isCounted;
      },
      async countMissing(_account, email) {
        counted.push(`missing ${email.normalized}`);
      },
    },
    limits: { addressesMax, freemailAddressesMax: 100, missingShareMax: 0.5 },
    freemailDomains: new Set(['freemail.example']),
  });
  return { guard, counted };
}

test('a domain whose mailboxes belong to anyone has its own limit', async () => {
  const { guard, counted } = guardWith(50);
  expect(await guard.ask(accountId, emailOf('ada@freemail.example'))).toBeUndefined();
  expect((await guard.ask(accountId, emailOf('ada@company.example')))?.decision).toEqual({
    result: 'unknown',
    reason: 'harvest_suspected',
  });
  expect(counted).toEqual(['asked ada@freemail.example']);
});

test('a guard that is switched off counts nothing', async () => {
  const { guard, counted } = guardWith(50, 0);
  expect(await guard.ask(accountId, emailOf('ada@company.example'))).toBeUndefined();
  expect(counted).toEqual([]);
});
