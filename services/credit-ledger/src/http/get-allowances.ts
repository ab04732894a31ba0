import { type Guard, type Route, route } from '@mailproof/service-kit';
import { getAllowances } from '@mailproof/shared-types';
import type { AllowanceStore } from '../domain/allowance.ts';

export function getAllowancesRoute(
  guard: Guard<unknown>,
  store: Pick<AllowanceStore, 'allowancesOf'>,
): Route {
  return route(getAllowances, guard, async ({ params }) => ({
    allowances: (await store.allowancesOf(params.accountId)).map(allowance => ({
      ...allowance,
      cycleStartsAt: allowance.cycleStartsAt.toISOString(),
      cycleEndsAt: allowance.cycleEndsAt.toISOString(),
    })),
  }));
}
