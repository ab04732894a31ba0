import { Problem, type Route, retryAfter, route } from '@mailproof/service-kit';
import { deleteAccount } from '@mailproof/shared-types';
import type { DeletionOutcome, DeletionRequest } from '../domain/accounts/delete-account.ts';
import { noSessionCookie } from './guards/cookies.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export function deleteAccountRoute(
  guardOf: SessionGuard,
  carryOut: (request: DeletionRequest) => Promise<DeletionOutcome>,
): Route {
  return route(deleteAccount, guardOf(deleteAccount), async ({ body }, { caller, requestId, setHeader }) => {
    const { client, ...signedIn } = caller;
    const { password, account_name: accountName } = body;
    const outcome = await carryOut({ signedIn, client, requestId, password, accountName });
    switch (outcome.kind) {
      case 'deleted':
        setHeader('set-cookie', noSessionCookie);
        return { deleted_at: outcome.at.toISOString() };
      case 'wrongPassword':
        throw new Problem('wrong_password');
      case 'locked':
        throw new Problem('signing_in_locked', { headers: retryAfter(outcome.retryInMs) });
      case 'gone':
        throw new Problem('not_signed_in');
      case 'nameDiffers':
        throw new Problem('account_name_differs');
    }
  });
}
