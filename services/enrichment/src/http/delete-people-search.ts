import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import {
  type AccountId,
  type DiscoverySearchId,
  deletePeopleSearch,
  forwarded,
} from '@mailproof/shared-types';

const operation = forwarded(deletePeopleSearch);

type DeleteSearch = (
  accountId: AccountId,
  searchId: DiscoverySearchId,
) => Promise<'deleted' | 'runActive' | 'gone'>;

export function deletePeopleSearchRoute(guard: Guard<unknown>, remove: DeleteSearch): Route {
  return route(operation, guard, async ({ params: { accountId, search_id: searchId } }) => {
    const outcome = await remove(accountId, searchId);
    if (outcome !== 'deleted') {
      throw new Problem(outcome === 'gone' ? 'search_not_found' : 'run_active');
    }
    return { done: true } as const;
  });
}
