import { beforeEach, describe, expect, test } from '@jest/globals';
import { type AccountId, newId } from '@mailproof/shared-types';
import { portsOf } from '../catch-all/testing/fakes.ts';
import { weights } from '../catch-all/weights.ts';
import type { AddressList } from '../concurrency/deadline.ts';
import { emptyDoNotProbeList } from '../standing/do-not-probe.ts';
import { createStillClock, emailOf, shuffledList } from '../testing/fakes.ts';
import {
  shareValidations,
  type Validate,
  type Validation,
  type ValidationPorts,
  validateAddress,
} from './validate-address.ts';

/** Asks about an address whose mail host does not answer, and returns the time that DNS and the host were given. */
async function timesGiven(deadlineMs: number, list?: AddressList) {
  const dnsMs: number[] = [];
  const hostMs: number[] = [];
  const areOfList: unknown[] = [];
  const { ports } = portsOf({});
  const world: ValidationPorts = {
    ...ports,
    dns: {
      async resolveMx(_name, deadline) {
        dnsMs.push(deadline.remainingMs());
        return { kind: 'answer', records: [{ preference: 10, exchange: 'mx.a.example' }], ttlSeconds: 60 };
      },
      async resolveAddresses(_name, family) {
        return family === 4
          ? { kind: 'answer', records: ['8.0.0.1'], ttlSeconds: 60 }
          : { kind: 'nodata', ttlSeconds: 60 };
      },
    },
    evidenceDns: { ...ports.evidenceDns, resolveText: async () => ({ kind: 'nodata' }) },
    asker: {
      async ask(_question, deadline) {
        hostMs.push(deadline.remainingMs());
        areOfList.push(deadline.list !== undefined);
        return { kind: 'not_connected', failure: 'unreachable' };
      },
    },
    blockWatch: { mayAsk: async () => ({ kind: 'ask', isTrial: false }), recordReply: async () => undefined },
    doNotProbe: emptyDoNotProbeList,
    randomOf: () => () => 0,
    evidencePolicy: { weights, prior: weights.prior, sources: [] },
    domainLists: {
      disposable: new Set(),
      disposableParents: new Set(),
      agreed: new Set(),
      suspected: new Set(),
      personal: new Set(),
    },
  };
  const { signal } = new AbortController();
  await validateAddress(world, emailOf('ada@a.example'), deadlineMs, signal, undefined, list);
  return { dnsMs, hostMs, areOfList };
}

test.each([true, false])('the host is asked as for an address of a list: %s', async isOfList => {
  expect((await timesGiven(60_000, isOfList ? shuffledList : undefined)).areOfList).toEqual([isOfList]);
});

test.each([
  ['a tenth of a short time', 1_000, 900],
  ['half a second of a long one', 60_000, 59_500],
])('%s is kept back for the answer, and DNS gets half of the rest', async (_part, deadlineMs, usableMs) => {
  const { dnsMs, hostMs } = await timesGiven(deadlineMs);
  expect(dnsMs).toEqual([usableMs / 2]);
  expect(new Set(hostMs)).toEqual(new Set([usableMs]));
});

const email = emailOf('ada@a.example');
const account = newId('account');

let asked: { deadlineMs: number; answer: (validation: Validation) => void; fail: (error: unknown) => void }[];
let validate: Validate;

beforeEach(() => {
  asked = [];
  validate = shareValidations(
    (_email, deadlineMs) =>
      new Promise((answer, fail) => {
        asked.push({ deadlineMs, answer, fail });
      }),
    createStillClock(),
  );
});

function ask(deadlineMs = 1_000, signal = new AbortController().signal, accountId: AccountId = account) {
  return validate(email, deadlineMs, signal, accountId);
}

/** Lets everything run that waits for nothing else. */
const settle = () => new Promise(resolve => setImmediate(resolve));

const known = { verdict: { result: 'ok' } } as Validation;

describe('questions about one address at the same time', () => {
  test('share one answer', async () => {
    const answers = [ask(), ask(), ask(2_000)];
    asked[0]?.answer(known);
    expect(await Promise.all(answers)).toEqual([known, known, known]);
    expect(asked).toHaveLength(1);
  });

  test('are put again where the answer might come too late', async () => {
    void ask(2_000);
    void ask(1_000);
    expect(asked.map(({ deadlineMs }) => deadlineMs)).toEqual([2_000, 1_000]);
  });

  test('are put again for a client that waits for one answer where that of a list is awaited', async () => {
    const { signal } = new AbortController();
    void validate(email, 1_000, signal, account, shuffledList);
    void validate(email, 1_000, signal, account, shuffledList);
    expect(asked).toHaveLength(1);
    void ask();
    expect(asked).toHaveLength(2);
  });

  test('of several accounts are put for each', async () => {
    void ask();
    void ask(1_000, new AbortController().signal, newId('account'));
    expect(asked).toHaveLength(2);
  });

  test('do not end with the first asker', async () => {
    const first = new AbortController();
    const gone = ask(1_000, first.signal);
    const others = [ask(), ask()];
    first.abort();
    asked[0]?.answer({ verdict: { result: 'unknown' } } as Validation);
    await gone;
    await settle();
    expect(asked).toHaveLength(2);
    asked[1]?.answer(known);
    expect(await Promise.all(others)).toEqual([known, known]);
  });
});

describe('a question', () => {
  test('is put again once the last one was answered or failed', async () => {
    const first = ask();
    asked[0]?.answer(known);
    await first;
    const second = ask();
    asked[1]?.fail(new Error('a fault of ours'));
    await expect(second).rejects.toThrow('a fault of ours');
    void ask();
    expect(asked).toHaveLength(3);
  });
});
