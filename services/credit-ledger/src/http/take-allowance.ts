import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { takeAllowance } from '@mailproof/shared-types';
import type { AllowanceStore } from '../domain/allowance.ts';

export function takeAllowanceRoute(guard: Guard<unknown>, store: Pick<AllowanceStore, 'take'>): Route {
  return route(takeAllowance, guard, async ({ body }) => {
    const outcome = await store.take(body);
    if (outcome.kind === 'idReused') {
      throw new Problem('id_reused', {
        detail: 'This use was made before with another account, allowance or cause.',
      });
    }
    return { useId: body.useId, taken: outcome.taken, remaining: outcome.remaining };
  });
}
