import { type Route, route } from '@mailproof/service-kit';
import { removeMember, type UserId } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function removeMemberRoute(
  guard: SessionGuard,
  remove: (userId: UserId, request: SignedInRequest) => Promise<void>,
): Route {
  return route(removeMember, guard(removeMember), async ({ params }, context) => {
    await orProblem(remove(params.user_id, signedInRequest(context)));
    return { done: true as const };
  });
}
