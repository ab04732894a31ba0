import { type Route, route } from '@mailproof/service-kit';
import { type OperationResult, plans, viewProfile } from '@mailproof/shared-types';
import type { SignedIn } from '../domain/accounts/signed-in.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export function viewProfileRoute(guardOf: SessionGuard): Route {
  return route(viewProfile, guardOf(viewProfile), async (_input, { caller }) => profileOf(caller));
}

export function profileOf({ account, userId, email, role }: SignedIn): OperationResult<typeof viewProfile> {
  const { title, apiAccess } = plans[account.plan];
  return {
    user_id: userId,
    email,
    role,
    account: {
      account_id: account.accountId,
      name: account.name,
      plan: account.plan,
      plan_title: title,
      api_access: apiAccess,
      requests_per_second: account.requestsPerSecond,
    },
  };
}
