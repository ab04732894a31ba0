import { type Guard, type Route, route } from '@mailproof/service-kit';
import { requestSignUp } from '@mailproof/shared-types';
import type { Visitor } from '../domain/users/sign-in.ts';
import { orProblem } from './user-problem.ts';

export function requestSignUpRoute(
  guard: Guard<Visitor>,
  ask: (request: { email: string; accountName: string }, visitor: Visitor) => Promise<void>,
): Route {
  return route(requestSignUp, guard, async ({ body }, { caller }) => {
    const email = body.email.normalised;
    await orProblem(ask({ email, accountName: body.name }, caller));
    return { sent_to: email };
  });
}
