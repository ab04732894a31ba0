import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { deleteSavedList, forwarded } from '@mailproof/shared-types';
import type { SavedLists } from '../domain/saved/saved-records.ts';

const operation = forwarded(deleteSavedList);

export function deleteSavedListRoute(guard: Guard<unknown>, lists: Pick<SavedLists, 'delete'>): Route {
  return route(operation, guard, async ({ params: { accountId, list_id: listId } }) => {
    if (!(await lists.delete(accountId, listId))) {
      throw new Problem('saved_list_not_found');
    }
    return { done: true } as const;
  });
}
