import { type Guard, type Route, route } from '@mailproof/service-kit';
import { getSealedApiKey } from '@mailproof/shared-types';
import { type FindAssistantGrounds, judgeAssistantAccess } from '../domain/assistants/assistant-access.ts';

export function getSealedApiKeyRoute(guard: Guard<unknown>, find: FindAssistantGrounds): Route {
  return route(getSealedApiKey, guard, async ({ params: { accountId, userId } }) =>
    judgeAssistantAccess(await find(accountId, userId)),
  );
}
