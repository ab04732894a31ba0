import { type Route, route } from '@mailproof/service-kit';
import { changePassword } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function changePasswordRoute(
  guard: SessionGuard,
  change: (passwords: { current: string; next: string }, request: SignedInRequest) => Promise<void>,
): Route {
  return route(changePassword, guard(changePassword), async ({ body }, context) => {
    const passwords = { current: body.current_password, next: body.new_password };
    await orProblem(change(passwords, signedInRequest(context)));
    return { done: true as const };
  });
}
