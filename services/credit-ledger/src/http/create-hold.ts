import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { createHold, newId } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';
import { holdAnswerOf } from './hold-answer.ts';

export function createHoldRoute(
  guard: Guard<unknown>,
  store: Pick<LedgerStore, 'hold'>,
  onRefused: () => void,
): Route {
  return route(createHold, guard, async ({ body }) => {
    const outcome = await store.hold({ ...body, holdId: newId('hold') });
    switch (outcome.kind) {
      case 'held':
        return holdAnswerOf(outcome.hold);
      case 'creditsExhausted':
        onRefused();
        throw new Problem('credits_exhausted', {
          detail: `The request needs ${body.amount} of the account’s credits, and ${outcome.available} are available.`,
          extra: { required: body.amount, available: outcome.available },
        });
      case 'idReused':
        throw new Problem('id_reused', { detail: 'This run holds credits already, by a different request.' });
    }
  });
}
