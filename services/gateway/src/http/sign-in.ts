import { type Guard, Problem, type Route, retryAfter, route } from '@mailproof/service-kit';
import { signIn } from '@mailproof/shared-types';
import type { SignInOutcome, Visitor } from '../domain/users/sign-in.ts';
import { cookiesOf } from './guards/cookies.ts';
import { signedInAnswer } from './signed-in-answer.ts';
import { orProblem } from './user-problem.ts';

export function signInRoute(
  guard: Guard<Visitor>,
  check: (credentials: { email: string; password: string }, visitor: Visitor) => Promise<SignInOutcome>,
  sessionSeconds: number,
): Route {
  return route(signIn, guard, async ({ body: { email, password } }, { caller, setHeader }) => {
    const outcome = await orProblem(check({ email: email.normalised, password }, caller));
    if (outcome.kind === 'locked') {
      throw new Problem('signing_in_locked', { headers: retryAfter(outcome.retryInMs) });
    }
    if (outcome.kind === 'refused') {
      throw new Problem('wrong_credentials', {
        headers: { 'www-authenticate': 'Session realm="Mailproof"' },
      });
    }
    setHeader('set-cookie', cookiesOf(outcome.session, sessionSeconds));
    return signedInAnswer(outcome.session.signedIn);
  });
}
