import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, removeListEntries } from '@mailproof/shared-types';
import type { SavedLists } from '../domain/saved/saved-records.ts';

const operation = forwarded(removeListEntries);

export function removeListEntriesRoute(
  guard: Guard<unknown>,
  { removeEntries }: Pick<SavedLists, 'removeEntries'>,
): Route {
  return route(operation, guard, async ({ params: { accountId, list_id: listId }, body }) => {
    const removed = await removeEntries(accountId, listId, body.ids);
    if (removed === undefined) {
      throw new Problem('saved_list_not_found');
    }
    return { removed };
  });
}
