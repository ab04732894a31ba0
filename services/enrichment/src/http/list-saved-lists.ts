import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listSavedLists } from '@mailproof/shared-types';
import type { SavedLists } from '../domain/saved/saved-records.ts';

const operation = forwarded(listSavedLists);

export function listSavedListsRoute(guard: Guard<unknown>, { list }: Pick<SavedLists, 'list'>): Route {
  return route(operation, guard, async ({ params: { accountId }, query }) => {
    const { lists, nextCursor } = await list(accountId, query);
    return { lists, next_cursor: nextCursor };
  });
}
