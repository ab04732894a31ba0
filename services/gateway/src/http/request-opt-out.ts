import { type Guard, type Route, route } from '@mailproof/service-kit';
import { requestOptOut } from '@mailproof/shared-types';
import type { Visitor } from '../domain/users/sign-in.ts';
import { orProblem } from './user-problem.ts';

export function requestOptOutRoute(
  guard: Guard<Visitor>,
  ask: (
    request: { profileUrl: string; email: string },
    context: { requestId: string; signal: AbortSignal },
  ) => Promise<void>,
): Route {
  return route(requestOptOut, guard, async ({ body }, { caller, signal }) => {
    const email = body.email.normalised;
    const { requestId } = caller;
    await orProblem(ask({ profileUrl: body.profile_url, email }, { requestId, signal }));
    return { sent_to: email };
  });
}
