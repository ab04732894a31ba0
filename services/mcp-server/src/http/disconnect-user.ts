import { type Guard, type Route, route } from '@mailproof/service-kit';
import { disconnectUser } from '@mailproof/shared-types';
import type { EndAssistants } from '../domain/assistant-list.ts';
import type { Events } from '../events.ts';

export function disconnectUserRoute(guard: Guard<unknown>, end: EndAssistants, events: Events): Route {
  return route(disconnectUser, guard, async ({ body: { accountId, userId, until } }) => {
    const disconnected = await end({ accountId, userId, connectedUntil: new Date(until) });
    events.assistantsDisconnected(accountId, disconnected);
    return { disconnected };
  });
}
