import { askOptOut, confirmOptOut, type OptOutPorts } from '../domain/opt-outs/opt-out.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import { orProblem } from './user-problem.ts';

/** Handles opt-out requests. */
export function optOutHandlers(ports: OptOutPorts) {
  return {
    async requestOptOut({ body }, { caller, signal }) {
      const email = body.email.normalized;
      const { requestId } = caller;
      await orProblem(askOptOut(ports, { profileUrl: body.profile_url, email }, { requestId, signal }));
      return { sent_to: email };
    },

    async confirmOptOut({ body }, { signal }) {
      await orProblem(confirmOptOut(ports, body.token, signal));
      return { done: true as const };
    },
  } satisfies Partial<GatewayHandlers>;
}
