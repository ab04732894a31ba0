import { type Route, route } from '@mailproof/service-kit';
import { listConnectedAssistants, oauthScopes } from '@mailproof/shared-types';
import type { ConnectedAssistants } from '../domain/assistants/connected-assistants.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';

export function listConnectedAssistantsRoute(
  guard: SessionGuard,
  list: (request: SignedInRequest) => Promise<ConnectedAssistants>,
): Route {
  return route(listConnectedAssistants, guard(listConnectedAssistants), async (_input, context) => {
    const { assistants, address } = await list(signedInRequest(context));
    return {
      assistants: assistants.map(assistant => ({
        assistant_id: assistant.assistantId,
        user_id: assistant.userId,
        email: assistant.email ?? null,
        client_name: assistant.clientName,
        redirect_host: assistant.redirectHost,
        scopes: assistant.scopes.map(scope => ({ scope, description: oauthScopes[scope] })),
        user_agent: assistant.userAgent,
        connected_at: assistant.connectedAt,
        last_used_at: assistant.lastUsedAt,
      })),
      address: address ?? null,
    };
  });
}
