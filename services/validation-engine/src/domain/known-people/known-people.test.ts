import { describe, expect, test } from '@jest/globals';
import { type AccountId, type KnownPeopleMatch, newId } from '@mailproof/shared-types';
import { deadlineAfter } from '../concurrency/deadline.ts';
import { createStillClock, emailOf } from '../testing/fakes.ts';
import { shareKnownPeople } from './known-people.ts';

const account = newId('account');
const amply = () => deadlineAfter(createStillClock(), 5_000, new AbortController().signal);
const named = (pattern: 'first.last' | 'flast'): KnownPeopleMatch => ({
  current: [{ pattern, people: 'one', ageDays: 30 }],
  hasLeft: false,
});

/** Answers `first.last` for local parts with a dot, and fails the first times. */
function people(failures = 0) {
  const asked: string[][] = [];
  let left = failures;
  const shared = shareKnownPeople(async (_domain, localParts) => {
    asked.push([...localParts]);
    await Promise.resolve();
    if (left > 0) {
      left -= 1;
      throw new Error('The service is down.');
    }
    return localParts.map(each => named(each.includes('.') ? 'first.last' : 'flast'));
  });
  return { shared, asked };
}

const emails = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    emailOf(`ada.love${'abcdefghij'.charAt(index % 10)}${'abcdefghij'.charAt(index / 10)}@takes-all.example`),
  );

describe('addresses of one domain that are announced together', () => {
  test('ask once, in any order and at any time', async () => {
    const { shared, asked } = people();
    const fifty = emails(50);
    const end = shared.expect(fifty, account);
    for (const email of fifty) {
      expect(await shared.match('takes-all.example', email.localPart.text, amply(), account)).toEqual(
        named('first.last'),
      );
    }
    expect(asked.map(({ length }) => length)).toEqual([50]);
    end();
    await shared.match('takes-all.example', 'ada.loveaa', amply(), account);
    expect(asked.map(({ length }) => length)).toEqual([50, 1]);
  });

  test('ask in parts if they are many, each answer for its own address', async () => {
    const { shared, asked } = people();
    const hundred = [...emails(100), emailOf('alove@takes-all.example')];
    shared.expect(hundred, account);
    const answers = await Promise.all(
      hundred.map(({ localPart }) => shared.match('takes-all.example', localPart.text, amply(), account)),
    );
    expect(asked.map(({ length }) => length)).toEqual([100, 1]);
    expect(answers.at(-1)).toEqual(named('flast'));
  });

  test('ask again after a failure', async () => {
    const { shared, asked } = people(1);
    const [one, other] = emails(2);
    shared.expect(
      [one, other].flatMap(email => email ?? []),
      account,
    );
    await expect(shared.match('takes-all.example', 'ada.loveaa', amply(), account)).rejects.toThrow('down');
    expect(await shared.match('takes-all.example', 'ada.loveba', amply(), account)).toEqual(
      named('first.last'),
    );
    expect(asked).toEqual([['ada.loveaa', 'ada.loveba'], ['ada.loveba']]);
  });

  test('do not ask about what is no name, nor about another domain', async () => {
    const { shared, asked } = people();
    shared.expect(
      [...emails(1), emailOf('a1b2c3@takes-all.example'), emailOf('bob.noyce@other.example')],
      account,
    );
    await shared.match('takes-all.example', 'ada.loveaa', amply(), account);
    expect(asked).toEqual([['ada.loveaa']]);
  });
});

describe('two accounts that ask about the same addresses', () => {
  /** Answers that Ada is among the people whom the one account has imported. */
  function ownPeopleOf(owner: AccountId) {
    const asked: (AccountId | undefined)[] = [];
    const shared = shareKnownPeople(async (_domain, localParts, _deadline, accountId) => {
      asked.push(accountId);
      await Promise.resolve();
      return localParts.map(() =>
        accountId === owner
          ? { ...named('first.last'), restsOnOwnPeople: true }
          : { current: [], hasLeft: false },
      );
    });
    return { shared, asked };
  }

  test.each(['the one first', 'the other first'])('never share an answer: %s', async order => {
    const [owner, other] = [newId('account'), newId('account')];
    const { shared, asked } = ownPeopleOf(owner);
    const accounts = order === 'the one first' ? [owner, other] : [other, owner];
    for (const each of accounts) {
      shared.expect(emails(2), each);
    }
    const localParts = emails(2).map(({ localPart }) => localPart.text);
    const answers = await Promise.all(
      [...accounts, undefined].flatMap(accountId =>
        localParts.map(async localPart => ({
          accountId,
          match: await shared.match('takes-all.example', localPart, amply(), accountId),
        })),
      ),
    );
    for (const { accountId, match } of answers) {
      expect(match?.restsOnOwnPeople).toBe(accountId === owner ? true : undefined);
    }
    // One question of each account about both addresses, and without an account one about each.
    expect(asked).toEqual([...accounts, undefined, undefined]);
  });
});
