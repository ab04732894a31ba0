import { type Route, route } from '@mailproof/service-kit';
import { viewReceipt } from '@mailproof/shared-types';
import type { StatementPort } from '../domain/statement/statement-port.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { receiptAnswerOf } from './view-receipts.ts';

export function viewReceiptRoute(guardOf: SessionGuard, ledger: Pick<StatementPort, 'receipt'>): Route {
  return route(viewReceipt, guardOf(viewReceipt), async ({ params }, { caller }) =>
    receiptAnswerOf(await ledger.receipt(caller.account.accountId, params.run_id)),
  );
}
