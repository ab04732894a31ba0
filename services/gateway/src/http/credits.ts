import { type accountReceipt, limits } from '@mailproof/shared-types';
import type { z } from 'zod';
import { describeEntry } from '../domain/statement/describe-entry.ts';
import { statementCsv } from '../domain/statement/statement-csv.ts';
import type { Receipt, StatementPort } from '../domain/statement/statement-port.ts';
import type { KeyHandlers } from './guards/gateway-callers.ts';
import { withOpenCursor, withSealedCursor } from './page-cursors.ts';

/** An account's balance, statement and usage. */
export function creditHandlers(ledger: StatementPort, now: () => Date) {
  return {
    async viewBalance(_input, { caller }) {
      const { accountId } = caller.account;
      const [{ available, held }, grants, allowances] = await Promise.all([
        ledger.balance(accountId),
        ledger.grants(accountId),
        ledger.allowances(accountId),
      ]);
      return {
        available,
        held,
        grants: grants.map(grant => ({
          grant_id: grant.grantId,
          kind: grant.kind,
          amount: grant.amount,
          available: grant.available,
          held: grant.held,
          spent: grant.spent,
          expired: grant.expired,
          granted_at: grant.grantedAt,
          expires_at: grant.expiresAt,
        })),
        allowances: allowances.map(({ allowance, limit, used, cycleStartsAt, cycleEndsAt }) => ({
          allowance,
          limit,
          used,
          cycle_starts_at: cycleStartsAt,
          cycle_ends_at: cycleEndsAt,
        })),
      };
    },

    async viewStatement({ query }, { caller }) {
      const { entries, nextCursor } = await ledger.entries(
        caller.account.accountId,
        await withOpenCursor(query, caller.cursors),
      );
      const page = {
        entries: entries.map(entry => ({
          entry_id: entry.entryId,
          at: entry.at,
          kind: entry.kind,
          description: describeEntry(entry),
          operation: entry.cause,
          run_id: entry.runId,
          request_id: entry.requestId,
          change: entry.availableChange,
          held_change: entry.heldChange,
          balance_after: entry.availableAfter,
          held_after: entry.heldAfter,
        })),
        next_cursor: nextCursor,
      };
      return withSealedCursor(page, caller.cursors);
    },

    async downloadStatement({ query }, { caller, setHeader }) {
      const { accountId } = caller.account;
      // Reads the first page here, so that a refusal becomes a problem response.
      const first = await ledger.entries(accountId, { ...query, limit: limits.pageRowsMax });
      setHeader('content-disposition', 'attachment; filename="statement.csv"');
      return statementCsv(
        async cursor =>
          cursor === undefined
            ? first
            : ledger.entries(accountId, { ...query, cursor, limit: limits.pageRowsMax }),
        limits.statementDownloadRowsMax,
      );
    },

    async viewReceipts({ query }, { caller }) {
      const { receipts, nextCursor } = await ledger.receipts(
        caller.account.accountId,
        await withOpenCursor(query, caller.cursors),
      );
      const page = { receipts: receipts.map(receiptAnswerOf), next_cursor: nextCursor };
      return withSealedCursor(page, caller.cursors);
    },

    viewReceipt: async ({ params }, { caller }) =>
      receiptAnswerOf(await ledger.receipt(caller.account.accountId, params.run_id)),

    async viewUsage({ query }, { caller }) {
      const last = lastDays(now());
      const { from = last.from, until = last.until } = query;
      const days = await ledger.usage(caller.account.accountId, { from, until });
      return {
        from,
        until,
        spent: days.reduce((sum, { spent }) => sum + spent, 0),
        days: days.map(({ day, cause, spent }) => ({ day, operation: cause, spent })),
      };
    },
  } satisfies Partial<KeyHandlers>;
}

function receiptAnswerOf(receipt: Receipt): z.output<typeof accountReceipt> {
  return {
    run_id: receipt.runId,
    operation: receipt.cause,
    request_id: receipt.requestId,
    state: receipt.state,
    reserved: receipt.reserved,
    spent: receipt.spent,
    returned: receipt.returned,
    refunded: receipt.refunded,
    opened_at: receipt.openedAt,
    closed_at: receipt.closedAt,
  };
}

const dayMs = 86_400_000;

/** The default days of a request, including today. */
function lastDays(now: Date): { from: string; until: string } {
  const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
  return { from: dayOf(now.getTime() - (limits.usageDaysDefault - 1) * dayMs), until: dayOf(now.getTime()) };
}
