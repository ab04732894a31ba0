import { type Guard, type Route, route } from '@mailproof/service-kit';
import { releaseHold } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';
import { resolveAnswerOf } from './hold-answer.ts';

export function releaseHoldRoute(guard: Guard<unknown>, store: LedgerStore): Route {
  return route(releaseHold, guard, async ({ params }) => resolveAnswerOf(await store.release(params.holdId)));
}
