import { type Guard, type Route, route } from '@mailproof/service-kit';
import { recordAssistantConnected } from '@mailproof/shared-types';
import type { AssistantConnection } from '../domain/assistants/sign-in-for-assistant.ts';
import { clientFrom } from './guards/client.ts';

export function recordAssistantConnectedRoute(
  guard: Guard<unknown>,
  connect: (connection: AssistantConnection) => Promise<Date | undefined>,
): Route {
  return route(recordAssistantConnected, guard, async ({ body }) => {
    const { clientAddress, userAgent, ...connection } = body;
    const connectedAt = await connect({ ...connection, client: clientFrom(clientAddress, userAgent) });
    return connectedAt
      ? { kind: 'recorded' as const, connectedAt: connectedAt.toISOString() }
      : { kind: 'sign_in_over' as const };
  });
}
