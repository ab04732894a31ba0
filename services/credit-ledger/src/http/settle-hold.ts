import { type Guard, type Route, route } from '@mailproof/service-kit';
import { settleHold } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';
import { resolveAnswerOf } from './hold-answer.ts';

export function settleHoldRoute(guard: Guard<unknown>, store: LedgerStore): Route {
  return route(settleHold, guard, async ({ params, body }) =>
    resolveAnswerOf(await store.settle(params.holdId, body.delivered)),
  );
}
