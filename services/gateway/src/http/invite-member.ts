import { type Route, route } from '@mailproof/service-kit';
import { inviteMember, type Role } from '@mailproof/shared-types';
import type { Invitation } from '../domain/users/member-store.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { invitationAnswer } from './member-answer.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function inviteMemberRoute(
  guard: SessionGuard,
  invite: (invited: { email: string; role: Role }, request: SignedInRequest) => Promise<Invitation>,
): Route {
  return route(inviteMember, guard(inviteMember), async ({ body }, context) => {
    const invited = { email: body.email.normalised, role: body.role };
    return invitationAnswer(await orProblem(invite(invited, signedInRequest(context))));
  });
}
