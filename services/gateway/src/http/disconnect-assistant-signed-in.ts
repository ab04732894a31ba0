import { type Route, route } from '@mailproof/service-kit';
import { type AssistantId, disconnectAssistantSignedIn } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function disconnectAssistantSignedInRoute(
  guard: SessionGuard,
  disconnect: (assistantId: AssistantId, request: SignedInRequest) => Promise<void>,
): Route {
  return route(
    disconnectAssistantSignedIn,
    guard(disconnectAssistantSignedIn),
    async ({ params }, context) => {
      await orProblem(disconnect(params.assistant_id, signedInRequest(context)));
      return { done: true as const };
    },
  );
}
