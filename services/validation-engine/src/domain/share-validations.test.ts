import { beforeEach, describe, expect, test } from '@jest/globals';
import { type AccountId, newId } from '@mailproof/shared-types';
import { shareValidations } from './share-validations.ts';
import { createStillClock, emailOf } from './testing/fakes.ts';
import type { Validate, Validation } from './validate-address.ts';

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

/** Lets everything happen that waits for nothing else. */
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
  test('is put anew once the last one was answered or failed', async () => {
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
