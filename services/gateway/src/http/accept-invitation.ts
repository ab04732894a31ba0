import { type Guard, type Route, route } from '@mailproof/service-kit';
import { acceptInvitation } from '@mailproof/shared-types';
import type { BegunSession, Visitor } from '../domain/users/sign-in.ts';
import { cookiesOf } from './guards/cookies.ts';
import { signedInAnswer } from './signed-in-answer.ts';
import { orProblem } from './user-problem.ts';

export function acceptInvitationRoute(
  guard: Guard<Visitor>,
  confirm: (acceptance: { token: string; password: string }, visitor: Visitor) => Promise<BegunSession>,
  sessionSeconds: number,
): Route {
  return route(acceptInvitation, guard, async ({ body }, { caller, setHeader }) => {
    const session = await orProblem(confirm(body, caller));
    setHeader('set-cookie', cookiesOf(session, sessionSeconds));
    return signedInAnswer(session.signedIn);
  });
}
