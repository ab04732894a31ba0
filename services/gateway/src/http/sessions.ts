import { Problem, retryAfter } from '@mailproof/service-kit';
import type { getSession, OperationResult } from '@mailproof/shared-types';
import type { SignedIn } from '../domain/accounts/signed-in.ts';
import { type AccessPorts, askSignUp, confirmSignUp } from '../domain/users/account-access.ts';
import { endSession, signOut, signOutEverywhere } from '../domain/users/open-sessions.ts';
import { signIn } from '../domain/users/sign-in.ts';
import { cookiesOf, noSessionCookie } from './guards/browser.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import { signedInRequest } from './guards/session-guard.ts';
import { orProblem } from './user-problem.ts';

/** Signing up, signing in, and the sessions of a user. */
export function sessionHandlers(ports: AccessPorts, sessionSeconds: number) {
  return {
    async requestSignUp({ body }, { caller }) {
      const email = body.email.normalized;
      await orProblem(askSignUp(ports, { email, accountName: body.name }, caller));
      return { sent_to: email };
    },

    async confirmSignUp({ body }, { caller, setHeader }) {
      const session = await orProblem(confirmSignUp(ports, body, caller));
      setHeader('set-cookie', cookiesOf(session, sessionSeconds));
      return signedInAnswer(session.signedIn);
    },

    async signIn({ body: { email, password } }, { caller, setHeader }) {
      const outcome = await orProblem(signIn(ports, { email: email.normalized, password }, caller));
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
    },

    getSession: async (_input, { caller }) => signedInAnswer(caller),

    async signOut(_input, context) {
      await signOut(ports, signedInRequest(context));
      context.setHeader('set-cookie', noSessionCookie);
      return { done: true as const };
    },

    listSessions: async (_input, { caller }) => ({
      sessions: (await ports.sessions.list(caller.userId, ports.now())).map(
        ({ sessionId, createdAt, lastSeenAt, userAgent }) => ({
          session_id: sessionId,
          created_at: createdAt.toISOString(),
          last_seen_at: lastSeenAt.toISOString(),
          user_agent: userAgent,
          current: sessionId === caller.sessionId,
        }),
      ),
    }),

    async endSession({ params }, context) {
      await orProblem(endSession(ports, params.session_id, signedInRequest(context)));
      return { done: true as const };
    },

    async signOutEverywhere(_input, context) {
      const ended = await signOutEverywhere(ports, signedInRequest(context));
      context.setHeader('set-cookie', noSessionCookie);
      return { ended };
    },
  } satisfies Partial<GatewayHandlers>;
}

/** Converts a signed-in user to the contract's field names. */
export function signedInAnswer(signedIn: SignedIn): OperationResult<typeof getSession> {
  const { account, userId, sessionId, email, role } = signedIn;
  return {
    user_id: userId,
    email,
    role,
    account: { account_id: account.accountId, name: account.name, plan: account.plan },
    session_id: sessionId,
  };
}
