import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { returnAllowance } from '@mailproof/shared-types';
import type { AllowanceStore } from '../domain/allowance.ts';

export function returnAllowanceRoute(guard: Guard<unknown>, store: Pick<AllowanceStore, 'giveBack'>): Route {
  return route(returnAllowance, guard, async ({ params }) => {
    const outcome = await store.giveBack(params.useId);
    if (outcome.kind === 'notFound') {
      throw new Problem('allowance_use_not_found');
    }
    return { useId: params.useId, remaining: outcome.remaining };
  });
}
