import { expect } from '@jest/globals';
import type { RealLedger } from './commands.ts';
import type { LedgerModel } from './ledger-model.ts';

/** Entries per page when comparing a statement: few, so that histories have several pages. */
const pageRows = 7;

/** Due credits must not be counted even before the sweep. */
export async function compareBalance({ ledger, statements }: RealLedger, model: LedgerModel): Promise<void> {
  expect(await ledger.balanceOf(model.accountId)).toEqual(model.balance);
  const grants = await statements.grantsOf(model.accountId);
  expect(grants.map(({ grantId, available, expired }) => [grantId, available, expired])).toEqual(
    openGrants(model).map(({ grantId, available, expired }) => [grantId, available, expired]),
  );
}

/** Everything readable about the account, from the ledger and from the model. */
export async function pictures({ ledger, statements, allowances }: RealLedger, model: LedgerModel) {
  const { accountId } = model;
  const [balance, grants, entries, receipts, ofCycle] = await Promise.all([
    ledger.balanceOf(accountId),
    statements.grantsOf(accountId),
    allPages(below => statements.entriesOf({ ...wholeOf(model), below })),
    allPages(below => statements.receiptsOf({ ...wholeOf(model), below })),
    allowances.allowancesOf(accountId),
  ]);
  const cycle = model.currentCycle();
  return {
    actual: {
      balance,
      grants: grants.map(grant => ({
        ...grant,
        grantedAt: undefined,
        expiresAt: undefined,
        cause: undefined,
      })),
      entries: entries
        .filter(({ kind }) => kind !== 'expire_credits')
        .map(({ kind, grantId, holdId, availableChange, heldChange }) => ({
          kind,
          id: grantId ?? holdId,
          availableChange,
          heldChange,
        })),
      newest: entries.slice(0, 1).map(entry => [entry.availableAfter, entry.heldAfter]),
      receipts: receipts.map(each => ({
        ...each,
        cause: undefined,
        requestId: undefined,
        openedAt: undefined,
        closedAt: undefined,
      })),
      allowances: ofCycle.map(({ limit, used }) => ({ limit, used })),
    },
    expected: {
      balance: model.balance,
      grants: openGrants(model).map(({ grantId, kind, amount, available, held, spent, expired }) => {
        return { grantId, kind, amount, available, held, spent, expired };
      }),
      entries: model.entries.toReversed(),
      newest: model.entries.length > 0 ? [[model.available, model.held]] : [],
      receipts: model.holds.toReversed().map(hold => ({
        runId: hold.runId,
        holdId: hold.holdId,
        state: hold.state,
        reserved: hold.amount,
        spent: hold.settled,
        returned: hold.state === 'pending' ? 0 : hold.amount - hold.settled,
        refunded: hold.refunded,
      })),
      allowances: cycle ? [{ limit: cycle.allowed, used: cycle.used }] : [],
    },
  };
}

function openGrants(model: LedgerModel) {
  return model.inSpendingOrder().filter(({ available, held }) => available + held > 0);
}

function wholeOf({ accountId }: LedgerModel) {
  return { accountId, from: undefined, until: undefined, limit: pageRows };
}

async function allPages<Row>(
  page: (below: number | undefined) => Promise<{ rows: readonly Row[]; endedWith?: number }>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let below: number | undefined; ; ) {
    const { rows, endedWith } = await page(below);
    all.push(...rows);
    if (endedWith === undefined) {
      return all;
    }
    below = endedWith;
  }
}
