import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, listListEntries } from '@mailproof/shared-types';
import type { SavedLists, SavedPeople } from '../domain/saved/saved-records.ts';

const operation = forwarded(listListEntries);

export function listListEntriesRoute(
  guard: Guard<unknown>,
  people: Pick<SavedPeople, 'list'>,
  lists: Pick<SavedLists, 'find' | 'listCompanies'>,
): Route {
  return route(operation, guard, async ({ params: { accountId, list_id: listId }, query }) => {
    const list = await lists.find(accountId, listId);
    if (!list) {
      throw new Problem('saved_list_not_found');
    }
    if (list.kind === 'people') {
      const page = await people.list(accountId, { ...query, list_id: listId });
      return { kind: 'people', people: page.people, next_cursor: page.nextCursor } as const;
    }
    const page = await lists.listCompanies(accountId, listId, query);
    return { kind: 'companies', companies: page.companies, next_cursor: page.nextCursor } as const;
  });
}
