import { type Guard, type Route, route } from '@mailproof/service-kit';
import { confirmEmailChange } from '@mailproof/shared-types';
import type { Visitor } from '../domain/users/sign-in.ts';
import { orProblem } from './user-problem.ts';

export function confirmEmailChangeRoute(
  guard: Guard<Visitor>,
  confirm: (token: string, visitor: Visitor) => Promise<void>,
): Route {
  return route(confirmEmailChange, guard, async ({ body }, { caller }) => {
    await orProblem(confirm(body.token, caller));
    return { done: true as const };
  });
}
