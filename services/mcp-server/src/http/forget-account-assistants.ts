import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forgetAccountAssistants } from '@mailproof/shared-types';
import type { EndAssistants } from '../domain/assistant-list.ts';
import type { Events } from '../events.ts';

export function forgetAccountAssistantsRoute(
  guard: Guard<unknown>,
  end: EndAssistants,
  events: Events,
): Route {
  return route(forgetAccountAssistants, guard, async ({ body: { accountId } }) => {
    const deleted = await end({ accountId });
    events.accountForgotten(accountId, deleted);
    return { deleted };
  });
}
