import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, listSavedPeople } from '@mailproof/shared-types';
import type { SavedLists, SavedPeople } from '../domain/saved/saved-records.ts';

const operation = forwarded(listSavedPeople);

export function listSavedPeopleRoute(
  guard: Guard<unknown>,
  people: Pick<SavedPeople, 'list'>,
  lists: Pick<SavedLists, 'find'>,
): Route {
  return route(operation, guard, async ({ params: { accountId }, query }) => {
    if (query.list_id !== undefined && (await lists.find(accountId, query.list_id))?.kind !== 'people') {
      throw new Problem('saved_list_not_found');
    }
    const { people: found, nextCursor } = await people.list(accountId, query);
    return { people: found, next_cursor: nextCursor };
  });
}
