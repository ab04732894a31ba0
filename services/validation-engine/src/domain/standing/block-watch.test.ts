import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import { emailOf } from '../testing/fakes.ts';
import { type BlockWatch, createBlockWatch, type Party, partyOf } from './block-watch.ts';
import { createLocalBreakerStore } from './breaker-store.ts';

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

async function hear(party: Party, result: ProbeResult, addresses: readonly string[]): Promise<string> {
  for (const address of addresses) {
    await watch.heard(party, result, emailOf(address), false);
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
    ['a house of its own, at its recipients', house, atRecipient, oneDomain, 'paused'],
  ] as const)('%s', async (_, party, result, addresses, expected) => {
    expect(await hear(party, result, addresses)).toBe(expected);
    expect(events).toEqual(expected === 'paused' ? [`paused ${party.name}`] : []);
  });

  test.each([
    { kind: 'ended', stage: 'greeting', finding: 'timeout' },
    { kind: 'ended', stage: 'ehlo', finding: 'policy' },
    { kind: 'answered', recipient: 'greylisted', madeUp: [], comparedMsAgo: 0 },
    { kind: 'answered', recipient: 'refused', madeUp: [], comparedMsAgo: 0 },
    { kind: 'smtputf8_unsupported' },
  ] as const)('is not told by %j, nor is who does not', async result => {
    await hear(house, atGreeting, oneDomain.slice(0, 2));
    await hear(house, result, oneDomain);
    expect((await watch.mayAsk(house)).kind).toBe('ask');
    expect(await hear(house, atGreeting, oneDomain.slice(2))).toBe('paused');
  });
});

test('an answer to the trial resumes probing', async () => {
  await hear(house, atGreeting, oneDomain);
  nowMs = 15 * 60_000;
  expect(await watch.mayAsk(house)).toEqual({ kind: 'ask', isTrial: true });
  const answered: ProbeResult = { kind: 'answered', recipient: 'missing', madeUp: [], comparedMsAgo: 0 };
  await watch.heard(house, answered, emailOf('a@company.example'), true);
  expect(await watch.mayAsk(house)).toEqual({ kind: 'ask', isTrial: false });
  expect(events).toEqual(['paused house.example', 'resumed house.example']);
});

test('another address of ours and another party have standings of their own', async () => {
  const breakers = createLocalBreakerStore(() => nowMs);
  watch = createWatch('192.0.2.1', breakers);
  expect(await hear(house, atGreeting, oneDomain)).toBe('paused');
  expect((await watch.mayAsk(partyOf('mx.other.example'))).kind).toBe('ask');
  expect((await watch.mayAsk(partyOf('mx2.house.example'))).kind).toBe('paused');
  expect((await createWatch('192.0.2.2', breakers).mayAsk(house)).kind).toBe('ask');
});
