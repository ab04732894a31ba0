import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, forgetAccountProfiles } from '@mailproof/shared-types';

export function forgetAccountProfilesRoute(
  guard: Guard<unknown>,
  forget: (accountId: AccountId) => Promise<{ readonly deleted: number; readonly remaining: boolean }>,
): Route {
  return route(forgetAccountProfiles, guard, ({ body: { accountId } }) => forget(accountId));
}
