import { type Handlers, Problem } from '@mailproof/service-kit';
import {
  type AccountId,
  type getReceipt,
  limits,
  type OperationResult,
  type pageQuery,
} from '@mailproof/shared-types';
import type { z } from 'zod';
import type { LedgerStore } from '../domain/ledger.ts';
import {
  cursorOf,
  daysIn,
  type ListName,
  type Page,
  type PageRequest,
  type ReadUsage,
  type Receipt,
  readCursor,
  type StatementStore,
} from '../domain/statement.ts';

/** Handles balances and the history behind them. */
export function statementHandlers(
  ledger: Pick<LedgerStore, 'balanceOf'>,
  statements: StatementStore,
  readUsage: ReadUsage,
) {
  return {
    getBalance: ({ params }) => ledger.balanceOf(params.accountId),

    async listEntries({ params, query }) {
      const page = await statements.entriesOf({
        ...pageRequestOf('entries', params.accountId, query),
        movements: query.movements,
      });
      return {
        entries: page.rows.map(entry => ({ ...entry, at: entry.at.toISOString() })),
        ...nextCursorOf('entries', page),
      };
    },

    async listReceipts({ params, query }) {
      const page = await statements.receiptsOf(pageRequestOf('receipts', params.accountId, query));
      return { receipts: page.rows.map(receiptAnswerOf), ...nextCursorOf('receipts', page) };
    },

    async getReceipt({ params }) {
      const receipt = await statements.receiptOf(params.accountId, params.runId);
      if (!receipt) {
        throw new Problem('receipt_not_found');
      }
      return receiptAnswerOf(receipt);
    },

    listGrants: async ({ params }) => ({
      grants: (await statements.grantsOf(params.accountId)).map(grant => ({
        ...grant,
        grantedAt: grant.grantedAt.toISOString(),
        expiresAt: grant.expiresAt?.toISOString() ?? null,
      })),
    }),

    async sumUsage({ params, query }) {
      const days = daysIn(query);
      if (days < 1 || days > limits.usageDaysMax) {
        throw new Problem('invalid_request', { detail: `Request 1 to ${limits.usageDaysMax} days.` });
      }
      return { days: await readUsage(params.accountId, query) };
    },
  } satisfies Partial<Handlers<'credit-ledger'>>;
}

function receiptAnswerOf(receipt: Receipt): OperationResult<typeof getReceipt> {
  return {
    ...receipt,
    openedAt: receipt.openedAt.toISOString(),
    closedAt: receipt.closedAt?.toISOString() ?? null,
  };
}

/** @throws Problem `invalid_cursor` for a cursor that this list did not return */
function pageRequestOf(
  list: ListName,
  accountId: AccountId,
  { from, until, cursor, limit }: z.output<typeof pageQuery>,
): PageRequest {
  const below = cursor === undefined ? undefined : readCursor(list, cursor);
  if (cursor !== undefined && below === undefined) {
    throw new Problem('invalid_cursor');
  }
  return {
    accountId,
    from: from === undefined ? undefined : new Date(from),
    until: until === undefined ? undefined : new Date(until),
    below,
    limit,
  };
}

/** The cursor of the next page, if any. */
function nextCursorOf(list: ListName, { endedWith }: Page<unknown>): { nextCursor?: string } {
  return endedWith === undefined ? {} : { nextCursor: cursorOf(list, endedWith) };
}
