import { type Guard, type Route, route } from '@mailproof/service-kit';
import { newId, openBillingCycle } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';
import { grantAnswerOf } from './grant-answer.ts';

export function openBillingCycleRoute(guard: Guard<unknown>, store: Pick<LedgerStore, 'openCycle'>): Route {
  return route(openBillingCycle, guard, async ({ body }) => {
    const cycle = {
      ...body,
      startsAt: new Date(body.startsAt),
      endsAt: new Date(body.endsAt),
      grantId: newId('creditGrant'),
    };
    return grantAnswerOf(
      await store.openCycle(cycle),
      'A cycle with this start was opened before with another end, credits, allowances or cause.',
    );
  });
}
