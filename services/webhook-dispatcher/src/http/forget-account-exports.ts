import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, forgetAccountExports } from '@mailproof/shared-types';

export function forgetAccountExportsRoute(
  guard: Guard<unknown>,
  forget: (accountId: AccountId) => Promise<{ readonly deleted: number; readonly remaining: boolean }>,
): Route {
  return route(forgetAccountExports, guard, ({ body: { accountId } }) => forget(accountId));
}
