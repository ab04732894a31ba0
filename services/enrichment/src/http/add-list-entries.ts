import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { addListEntries, forwarded } from '@mailproof/shared-types';
import type { SavedLists } from '../domain/saved/saved-records.ts';

const operation = forwarded(addListEntries);

export function addListEntriesRoute(
  guard: Guard<unknown>,
  { addEntries }: Pick<SavedLists, 'addEntries'>,
): Route {
  return route(operation, guard, async ({ params: { accountId, list_id: listId }, body }) => {
    const added = await addEntries(accountId, listId, body.ids);
    if (added === undefined) {
      throw new Problem('saved_list_not_found');
    }
    return { added };
  });
}
