import { type Guard, type Route, route } from '@mailproof/service-kit';
import { getBalance } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';

export function getBalanceRoute(guard: Guard<unknown>, store: LedgerStore): Route {
  return route(getBalance, guard, ({ params }) => store.balanceOf(params.accountId));
}
