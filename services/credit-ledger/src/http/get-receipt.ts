import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { getReceipt } from '@mailproof/shared-types';
import type { StatementStore } from '../domain/statement.ts';
import { receiptAnswerOf } from './receipt-answer.ts';

export function getReceiptRoute(guard: Guard<unknown>, store: Pick<StatementStore, 'receiptOf'>): Route {
  return route(getReceipt, guard, async ({ params }) => {
    const receipt = await store.receiptOf(params.accountId, params.runId);
    if (!receipt) {
      throw new Problem('receipt_not_found');
    }
    return receiptAnswerOf(receipt);
  });
}
