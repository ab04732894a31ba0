import { type Guard, type Route, route } from '@mailproof/service-kit';
import { listReceipts } from '@mailproof/shared-types';
import type { StatementStore } from '../domain/statement.ts';
import { nextCursorOf, pageRequestOf } from './page.ts';
import { receiptAnswerOf } from './receipt-answer.ts';

export function listReceiptsRoute(guard: Guard<unknown>, store: Pick<StatementStore, 'receiptsOf'>): Route {
  return route(listReceipts, guard, async ({ params, query }) => {
    const page = await store.receiptsOf(pageRequestOf('receipts', params.accountId, query));
    return { receipts: page.rows.map(receiptAnswerOf), ...nextCursorOf('receipts', page) };
  });
}
