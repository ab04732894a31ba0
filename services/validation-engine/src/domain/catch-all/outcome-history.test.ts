import { describe, expect, test } from '@jest/globals';
import { newId, type OutcomeKind } from '@mailproof/shared-types';
import { deadlineAfter } from '../concurrency/deadline.ts';
import type { PastOutcome } from '../outcomes/outcome-store.ts';
import { amply, createStillClock } from '../testing/fakes.ts';
import { outcomeHistory } from './outcome-history.ts';
import { inquiryAbout, portsOf } from './testing/fakes.ts';

const [asker, bob, eve, mallory] = [newId('account'), newId('account'), newId('account'), newId('account')];

const outcome = (accountId: PastOutcome['accountId'], kind: OutcomeKind, ageDays: number): PastOutcome => ({
  accountId,
  kind,
  ageDays,
});

async function found(past: readonly PastOutcome[]) {
  const outcomes = { ofAddress: async () => past, ofDomain: async () => [] };
  const inquiry = inquiryAbout('ada@a.example', { accountId: asker });
  const { observations } = await outcomeHistory.gather(portsOf({ outcomes }).ports, inquiry, amply());
  return observations.map(({ finding, ageDays }) => `${finding} ${ageDays}`);
}

describe('an account’s own outcomes', () => {
  test.each<readonly [string, readonly (readonly [OutcomeKind, number])[], readonly string[]]>([
    ['a delivery', [['delivered', 5]], ['delivered 5']],
    ['a reply', [['replied', 5]], ['replied 5']],
    ['a full mailbox', [['mailbox_full', 5]], ['was_full 5']],
    ['a missing mailbox', [['mailbox_missing', 5]], ['bounced 5']],
    ['a disabled one', [['mailbox_disabled', 5]], ['bounced 5']],
    ['a block', [['not_about_mailbox', 5]], []],
    ['nothing', [], []],
    [
      'a delivery that bounced later',
      [
        ['delivered', 20],
        ['mailbox_missing', 5],
      ],
      ['bounced 5'],
    ],
    [
      'a bounce of the same moment',
      [
        ['delivered', 5],
        ['mailbox_missing', 5],
      ],
      ['bounced 5'],
    ],
    [
      'a bounce that is dated some hours before its delivery',
      [
        ['delivered', 5],
        ['mailbox_missing', 5.4],
      ],
      ['bounced 5.4'],
    ],
    [
      'a mailbox that came back',
      [
        ['mailbox_missing', 50],
        ['delivered', 5],
      ],
      ['delivered 5'],
    ],
    [
      'a block after a delivery',
      [
        ['delivered', 20],
        ['not_about_mailbox', 5],
      ],
      ['delivered 20'],
    ],
    [
      'a reply on the day of the delivery',
      [
        ['delivered', 5],
        ['replied', 5],
      ],
      ['replied 5'],
    ],
  ])('%s', async (_name, past, expected) => {
    expect(await found(past.map(([kind, ageDays]) => outcome(asker, kind, ageDays)))).toEqual(expected);
  });
});

describe('other accounts’ outcomes', () => {
  test('do not count while one account alone says so, however often', async () => {
    expect(await found([outcome(bob, 'delivered', 1), outcome(bob, 'replied', 2)])).toEqual([]);
    // The asking account is not one of the two.
    expect(await found([outcome(bob, 'delivered', 1), outcome(asker, 'delivered', 3)])).toEqual([
      'delivered 3',
    ]);
  });

  test('count where two agree, without telling an exact age', async () => {
    expect(await found([outcome(bob, 'delivered', 1), outcome(eve, 'replied', 30)])).toEqual([
      'agreed_delivered 30',
    ]);
    expect(await found([outcome(bob, 'mailbox_missing', 1), outcome(eve, 'mailbox_disabled', 91)])).toEqual([
      'agreed_bounced 120',
    ]);
  });

  test('count where two agree against one, and not where as many disagree', async () => {
    const two = [outcome(bob, 'delivered', 1), outcome(eve, 'delivered', 2)];
    expect(await found([...two, outcome(mallory, 'mailbox_missing', 1)])).toEqual(['agreed_delivered 30']);
    const fourth = newId('account');
    const against = [outcome(mallory, 'mailbox_missing', 1), outcome(fourth, 'mailbox_missing', 1)];
    expect(await found([...two, ...against])).toEqual([]);
  });

  test('count in addition to the account’s own', async () => {
    const past = [
      outcome(asker, 'mailbox_missing', 9),
      outcome(bob, 'delivered', 1),
      outcome(eve, 'delivered', 2),
    ];
    expect(await found(past)).toEqual(['bounced 9', 'agreed_delivered 30']);
  });

  test('count for a question that no account asks', async () => {
    const inquiry = inquiryAbout('ada@a.example');
    const past = [outcome(bob, 'delivered', 1), outcome(eve, 'delivered', 2)];
    const outcomes = { ofAddress: async () => past, ofDomain: async () => [] };
    const { observations } = await outcomeHistory.gather(portsOf({ outcomes }).ports, inquiry, amply());
    expect(observations).toMatchObject([{ finding: 'agreed_delivered' }]);
  });
});

describe('a store that does not answer', () => {
  test('is waited for no longer than the deadline', async () => {
    const outcomes = { ofAddress: () => new Promise<never>(() => undefined), ofDomain: async () => [] };
    const caller = new AbortController();
    const deadline = deadlineAfter(createStillClock(), 60_000, caller.signal);
    const gathered = outcomeHistory.gather(
      portsOf({ outcomes }).ports,
      inquiryAbout('ada@a.example'),
      deadline,
    );
    caller.abort();
    await expect(gathered).rejects.toThrow('did not answer in time');
    const over = deadlineAfter(createStillClock(), 0, new AbortController().signal);
    const late = outcomeHistory.gather(portsOf({ outcomes }).ports, inquiryAbout('ada@a.example'), over);
    await expect(late).rejects.toThrow('did not answer in time');
  });
});
