import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { changeSavedList, forwarded } from '@mailproof/shared-types';
import type { SavedLists } from '../domain/saved/saved-records.ts';

const operation = forwarded(changeSavedList);

export function changeSavedListRoute(guard: Guard<unknown>, { change }: Pick<SavedLists, 'change'>): Route {
  return route(operation, guard, async ({ params: { accountId, list_id: listId }, body }) => {
    const list = await change(accountId, listId, body);
    if (list === 'nameTaken' || list === 'gone') {
      throw new Problem(list === 'nameTaken' ? 'list_name_taken' : 'saved_list_not_found');
    }
    return list;
  });
}
