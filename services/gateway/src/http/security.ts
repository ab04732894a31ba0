import {
  type AccessPorts,
  askEmailChange,
  askPasswordReset,
  changePassword,
  confirmEmailChange,
  resetPassword,
} from '../domain/users/account-access.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import { signedInRequest } from './guards/session-guard.ts';
import { withOpenCursor, withSealedCursor } from './page-cursors.ts';
import { orProblem } from './user-problem.ts';

/** A user’s password and address, and the security events. */
export function securityHandlers(ports: AccessPorts) {
  return {
    async requestPasswordReset({ body }, { caller }) {
      const email = body.email.normalized;
      await orProblem(askPasswordReset(ports, email, caller));
      return { sent_to: email };
    },

    async confirmPasswordReset({ body }, { caller }) {
      await orProblem(resetPassword(ports, body, caller));
      return { done: true as const };
    },

    async changePassword({ body }, context) {
      const passwords = { current: body.current_password, next: body.new_password };
      await orProblem(changePassword(ports, passwords, signedInRequest(context)));
      return { done: true as const };
    },

    async requestEmailChange({ body }, context) {
      const email = body.email.normalized;
      await orProblem(
        askEmailChange(ports, { email, password: body.current_password }, signedInRequest(context)),
      );
      return { sent_to: email };
    },

    async confirmEmailChange({ body }, { caller }) {
      await orProblem(confirmEmailChange(ports, body.token, caller));
      return { done: true as const };
    },

    async listSecurityEvents({ query }, { caller }) {
      const { cursor, limit } = await withOpenCursor(query, caller.cursors);
      // Reads one more than the page holds, to learn whether there is a next page.
      const found = await ports.securityEvents.list(caller.account.accountId, {
        ...(cursor !== undefined && { before: Number(cursor) }),
        limit: limit + 1,
      });
      const events = found.slice(0, limit);
      const last = events.at(-1);
      const page = {
        events: events.map(({ kind, at, userId, client, details }) => ({
          kind,
          at: at.toISOString(),
          user_id: userId ?? null,
          client_network: client.network,
          user_agent: client.userAgent,
          details: { ...details },
        })),
        next_cursor: found.length > limit && last ? String(last.securityEventId) : undefined,
      };
      return withSealedCursor(page, caller.cursors);
    },
  } satisfies Partial<GatewayHandlers>;
}
