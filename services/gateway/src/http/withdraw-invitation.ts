import { type Route, route } from '@mailproof/service-kit';
import { type InvitationId, withdrawInvitation } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function withdrawInvitationRoute(
  guard: SessionGuard,
  withdraw: (invitationId: InvitationId, request: SignedInRequest) => Promise<void>,
): Route {
  return route(withdrawInvitation, guard(withdrawInvitation), async ({ params }, context) => {
    await orProblem(withdraw(params.invitation_id, signedInRequest(context)));
    return { done: true as const };
  });
}
