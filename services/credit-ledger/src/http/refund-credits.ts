import { type Guard, type Route, route } from '@mailproof/service-kit';
import { limits, newId, refundCredits } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';
import { grantAnswerOf } from './grant-answer.ts';

export function refundCreditsRoute(guard: Guard<unknown>, store: Pick<LedgerStore, 'refund'>): Route {
  return route(refundCredits, guard, async ({ body }) =>
    grantAnswerOf(
      await store.refund({ ...body, grantId: newId('creditGrant'), validDays: limits.refundDays }),
      'This refund was made before with another account, run, amount or cause.',
    ),
  );
}
