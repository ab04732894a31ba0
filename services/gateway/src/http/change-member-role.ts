import { type Route, route } from '@mailproof/service-kit';
import { changeMemberRole, type Role, type UserId } from '@mailproof/shared-types';
import type { Member } from '../domain/users/member-store.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { memberAnswer } from './member-answer.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function changeMemberRoleRoute(
  guard: SessionGuard,
  change: (change: { userId: UserId; role: Role }, request: SignedInRequest) => Promise<Member>,
): Route {
  return route(changeMemberRole, guard(changeMemberRole), async ({ params, body }, context) => {
    const wanted = { userId: params.user_id, role: body.role };
    return memberAnswer(await orProblem(change(wanted, signedInRequest(context))));
  });
}
