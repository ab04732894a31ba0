import { type Guard, type Route, route } from '@mailproof/service-kit';
import { requestPasswordReset } from '@mailproof/shared-types';
import type { Visitor } from '../domain/users/sign-in.ts';
import { orProblem } from './user-problem.ts';

export function requestPasswordResetRoute(
  guard: Guard<Visitor>,
  ask: (email: string, visitor: Visitor) => Promise<void>,
): Route {
  return route(requestPasswordReset, guard, async ({ body }, { caller }) => {
    const email = body.email.normalised;
    await orProblem(ask(email, caller));
    return { sent_to: email };
  });
}
