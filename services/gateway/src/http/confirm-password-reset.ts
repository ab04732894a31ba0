import { type Guard, type Route, route } from '@mailproof/service-kit';
import { confirmPasswordReset } from '@mailproof/shared-types';
import type { Visitor } from '../domain/users/sign-in.ts';
import { orProblem } from './user-problem.ts';

export function confirmPasswordResetRoute(
  guard: Guard<Visitor>,
  confirm: (reset: { token: string; password: string }, visitor: Visitor) => Promise<void>,
): Route {
  return route(confirmPasswordReset, guard, async ({ body }, { caller }) => {
    await orProblem(confirm(body, caller));
    return { done: true as const };
  });
}
