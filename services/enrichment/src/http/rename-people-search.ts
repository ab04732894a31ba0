import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import {
  type AccountId,
  type DiscoverySearchId,
  forwarded,
  renamePeopleSearch,
} from '@mailproof/shared-types';
import type { StoredPeopleSearch } from '../domain/discovery/people-search-store.ts';
import { searchAnswer } from './search-answer.ts';

const operation = forwarded(renamePeopleSearch);

type RenameSearch = (
  accountId: AccountId,
  searchId: DiscoverySearchId,
  name: string,
) => Promise<StoredPeopleSearch | undefined>;

export function renamePeopleSearchRoute(guard: Guard<unknown>, rename: RenameSearch): Route {
  return route(operation, guard, async ({ params: { accountId, search_id: searchId }, body }) => {
    const search = await rename(accountId, searchId, body.name);
    if (!search) {
      throw new Problem('search_not_found');
    }
    return searchAnswer(search);
  });
}
