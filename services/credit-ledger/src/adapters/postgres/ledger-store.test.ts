import { describe, expect, it } from '@jest/globals';
import { type AccountId, newId } from '@mailproof/shared-types';
import { createHoldLanes } from './ledger-store.ts';

interface Asked {
  readonly accountId: AccountId;
  readonly number: number;
}

/** Lanes whose statements end when the test ends them. */
function openLanes(fails: (together: readonly Asked[]) => boolean = () => false) {
  const statements: { together: readonly Asked[]; end: () => void }[] = [];
  const ask = createHoldLanes<Asked, number>(
    together =>
      new Promise((resolve, reject) => {
        const end = () =>
          fails(together) ? reject(new Error('refused')) : resolve(together.map(({ number }) => number));
        statements.push({ together, end });
      }),
  );
  return { ask, statements };
}

/** Accounts that share a lane, because their ids have the same ending. */
function accountsOfOneLane(count: number): AccountId[] {
  return Array.from({ length: count }, (_, at) => `${newId('account', at + 1).slice(0, -2)}00` as AccountId);
}

async function untilStatements(statements: readonly unknown[], count: number): Promise<void> {
  for (let turns = 0; statements.length < count; turns += 1) {
    expect(turns).toBeLessThan(1_000);
    await new Promise(resolve => setImmediate(resolve));
  }
}

describe('holds that are asked for at once', () => {
  it('are sent at once when none is in flight, and together when one is', async () => {
    const { ask, statements } = openLanes();
    const [accountId = newId('account')] = accountsOfOneLane(1);
    const answers = Promise.all([0, 1, 2, 3].map(number => ask({ accountId, number })));
    expect(statements.map(({ together }) => together.length)).toEqual([1]);
    statements[0]?.end();
    await untilStatements(statements, 2);
    expect(statements[1]?.together.map(({ number }) => number)).toEqual([1, 2, 3]);
    statements[1]?.end();
    expect(await answers).toEqual([0, 1, 2, 3]);
  });

  it('lock accounts in one order, keep the order within an account, and get their own answers', async () => {
    const { ask, statements } = openLanes();
    const [one, two, three] = accountsOfOneLane(3) as [AccountId, AccountId, AccountId];
    const asked = [three, two, one, three, one].map((accountId, number) => ask({ accountId, number }));
    statements[0]?.end();
    await untilStatements(statements, 2);
    expect(statements[1]?.together.map(({ number }) => number)).toEqual([2, 4, 1, 3]);
    statements[1]?.end();
    expect(await Promise.all(asked)).toEqual([0, 1, 2, 3, 4]);
  });

  it('do not share the failure of one', async () => {
    const { ask, statements } = openLanes(together => together.some(({ number }) => number === 2));
    const [accountId = newId('account')] = accountsOfOneLane(1);
    const asked = Promise.allSettled([0, 1, 2, 3].map(number => ask({ accountId, number })));
    statements[0]?.end();
    await untilStatements(statements, 2);
    statements[1]?.end();
    await untilStatements(statements, 5);
    for (const { end } of statements.slice(2)) {
      end();
    }
    expect((await asked).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('continue after a failure', async () => {
    let isBroken = true;
    const { ask, statements } = openLanes(() => isBroken);
    const [accountId = newId('account')] = accountsOfOneLane(1);
    const first = ask({ accountId, number: 0 });
    statements[0]?.end();
    await expect(first).rejects.toThrow('refused');
    isBroken = false;
    const second = ask({ accountId, number: 1 });
    await untilStatements(statements, 2);
    statements[1]?.end();
    expect(await second).toBe(1);
  });
});
