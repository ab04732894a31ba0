import { type Guard, type Route, route } from '@mailproof/service-kit';
import { confirmOptOut } from '@mailproof/shared-types';
import type { Visitor } from '../domain/users/sign-in.ts';
import { orProblem } from './user-problem.ts';

export function confirmOptOutRoute(
  guard: Guard<Visitor>,
  confirm: (token: string, signal: AbortSignal) => Promise<void>,
): Route {
  return route(confirmOptOut, guard, async ({ body }, { signal }) => {
    await orProblem(confirm(body.token, signal));
    return { done: true as const };
  });
}
