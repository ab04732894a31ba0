import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, getLookalikeSearch } from '@mailproof/shared-types';
import { getSearch, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';

export function getLookalikeSearchRoute(guard: Guard<unknown>, ports: SearchPorts): Route {
  return route(forwarded(getLookalikeSearch), guard, async ({ params }) => {
    const view = await getSearch(ports, { accountId: params.accountId, searchId: params.search_id });
    if (!view) {
      throw new Problem('search_not_found');
    }
    return view;
  });
}
