import { type Route, route } from '@mailproof/service-kit';
import { type AccountId, renameAccount } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { profileOf } from './view-profile.ts';

export function renameAccountRoute(
  guardOf: SessionGuard,
  rename: (accountId: AccountId, name: string) => Promise<void>,
): Route {
  return route(renameAccount, guardOf(renameAccount), async ({ body }, { caller }) => {
    await rename(caller.account.accountId, body.name);
    return profileOf({ ...caller, account: { ...caller.account, name: body.name } });
  });
}
