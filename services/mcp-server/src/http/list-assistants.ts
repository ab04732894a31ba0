import { type Guard, type Route, route } from '@mailproof/service-kit';
import { listAssistants } from '@mailproof/shared-types';
import type { ListAssistants } from '../domain/assistant-list.ts';

export function listAssistantsRoute(
  guard: Guard<unknown>,
  list: ListAssistants,
  address: string,
  now: () => Date,
): Route {
  return route(listAssistants, guard, async ({ params: { accountId }, query: { userId } }) => ({
    assistants: (await list(accountId, userId, now())).map(
      ({ scopes, connectedAt, lastUsedAt, ...assistant }) => ({
        ...assistant,
        scopes: [...scopes],
        connectedAt: connectedAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }),
    ),
    address,
  }));
}
