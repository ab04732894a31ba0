import { type Guard, type Route, route } from '@mailproof/service-kit';
import { disconnectAssistant } from '@mailproof/shared-types';
import type { EndAssistants } from '../domain/assistant-list.ts';
import type { Events } from '../events.ts';

export function disconnectAssistantRoute(guard: Guard<unknown>, end: EndAssistants, events: Events): Route {
  return route(disconnectAssistant, guard, async ({ params, query: { userId } }) => {
    const { accountId, assistantId: listedAs } = params;
    const disconnected = await end({ accountId, listedAs, userId });
    events.assistantsDisconnected(accountId, disconnected);
    return { disconnected };
  });
}
