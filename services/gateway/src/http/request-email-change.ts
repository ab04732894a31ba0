import { type Route, route } from '@mailproof/service-kit';
import { requestEmailChange } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function requestEmailChangeRoute(
  guard: SessionGuard,
  ask: (wanted: { email: string; password: string }, request: SignedInRequest) => Promise<void>,
): Route {
  return route(requestEmailChange, guard(requestEmailChange), async ({ body }, context) => {
    const email = body.email.normalised;
    await orProblem(ask({ email, password: body.current_password }, signedInRequest(context)));
    return { sent_to: email };
  });
}
