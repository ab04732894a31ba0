import { type Guard, type Route, route } from '@mailproof/service-kit';
import { renewHold } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';
import { resolveAnswerOf } from './hold-answer.ts';

export function renewHoldRoute(guard: Guard<unknown>, store: Pick<LedgerStore, 'renew'>): Route {
  return route(renewHold, guard, async ({ params, body }) =>
    resolveAnswerOf(await store.renew(params.holdId, body.expiresInMs)),
  );
}
