import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, closeAccountCredits } from '@mailproof/shared-types';
import type { Events } from '../events.ts';

export function closeAccountCreditsRoute(
  guard: Guard<unknown>,
  close: (accountId: AccountId) => Promise<number>,
  events: Events,
): Route {
  return route(closeAccountCredits, guard, async ({ body: { accountId } }) => {
    const expired = await close(accountId);
    events.accountClosed(accountId, expired);
    return { accountId, expired };
  });
}
