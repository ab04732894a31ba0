import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, getMe } from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';

export function getMeRoute(
  guard: Guard<Account>,
  availableCredits: (accountId: AccountId) => Promise<number>,
): Route {
  return route(getMe, guard, async (_input, { caller, setHeader }) => {
    const credits = await availableCredits(caller.accountId);
    setHeader('x-credits-remaining', credits);
    return { credits };
  });
}
