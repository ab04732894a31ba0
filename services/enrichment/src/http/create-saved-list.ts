import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { createSavedList, forwarded } from '@mailproof/shared-types';
import type { SavedLists } from '../domain/saved/saved-records.ts';

const operation = forwarded(createSavedList);

export function createSavedListRoute(guard: Guard<unknown>, { create }: Pick<SavedLists, 'create'>): Route {
  return route(operation, guard, async ({ params: { accountId, userId }, body }) => {
    const list = await create(accountId, userId, body);
    if (list === 'nameTaken' || list === 'tooMany') {
      throw new Problem(list === 'nameTaken' ? 'list_name_taken' : 'too_many_lists');
    }
    return list;
  });
}
