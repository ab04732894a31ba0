import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { grantCredits } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';

export function grantCreditsRoute(guard: Guard<unknown>, store: LedgerStore): Route {
  return route(grantCredits, guard, async ({ body }) => {
    const outcome = await store.grant(body);
    if (outcome.kind === 'idReused') {
      throw new Problem('id_reused', {
        detail: 'This grant was made before with another account, amount or cause.',
      });
    }
    return outcome.balance;
  });
}
