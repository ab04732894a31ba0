import { type Guard, type Route, route } from '@mailproof/service-kit';
import { getAssistantAccess } from '@mailproof/shared-types';
import { type FindAssistantGrounds, judgeAssistantAccess } from '../domain/assistants/assistant-access.ts';

export function getAssistantAccessRoute(guard: Guard<unknown>, find: FindAssistantGrounds): Route {
  return route(getAssistantAccess, guard, async ({ params: { accountId, userId } }) => {
    const access = judgeAssistantAccess(await find(accountId, userId));
    return access.kind === 'ready'
      ? { kind: access.kind, accountName: access.account.name, email: access.email }
      : access;
  });
}
