import { type Route, route } from '@mailproof/service-kit';
import { endSession, type SessionId } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function endSessionRoute(
  guard: SessionGuard,
  end: (sessionId: SessionId, request: SignedInRequest) => Promise<void>,
): Route {
  return route(endSession, guard(endSession), async ({ params }, context) => {
    await orProblem(end(params.session_id, signedInRequest(context)));
    return { done: true as const };
  });
}
