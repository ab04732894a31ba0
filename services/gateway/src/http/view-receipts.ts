import { type Route, route } from '@mailproof/service-kit';
import { type accountReceipt, viewReceipts } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { Receipt, StatementPort } from '../domain/statement/statement-port.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { withOpenCursor, withSealedCursor } from './page-cursors.ts';

export function viewReceiptsRoute(guardOf: SessionGuard, ledger: Pick<StatementPort, 'receipts'>): Route {
  return route(viewReceipts, guardOf(viewReceipts), async ({ query }, { caller }) => {
    const { receipts, nextCursor } = await ledger.receipts(
      caller.account.accountId,
      await withOpenCursor(query, caller.cursors),
    );
    const page = { receipts: receipts.map(receiptAnswerOf), next_cursor: nextCursor };
    return withSealedCursor(page, caller.cursors);
  });
}

export function receiptAnswerOf(receipt: Receipt): z.output<typeof accountReceipt> {
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
