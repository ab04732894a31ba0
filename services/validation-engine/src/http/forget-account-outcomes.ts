import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, forgetAccountOutcomes } from '@mailproof/shared-types';
import type { Events } from '../events.ts';

export function forgetAccountOutcomesRoute(
  guard: Guard<unknown>,
  forget: (accountId: AccountId) => Promise<{ deleted: number; remaining: boolean }>,
  events: Events,
): Route {
  return route(forgetAccountOutcomes, guard, async ({ body }) => {
    const forgotten = await forget(body.accountId);
    events.outcomesForgotten(body.accountId, forgotten.deleted);
    return forgotten;
  });
}
