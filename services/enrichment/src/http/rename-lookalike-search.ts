import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, renameLookalikeSearch } from '@mailproof/shared-types';
import { renameSearch, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';

export function renameLookalikeSearchRoute(
  guard: Guard<unknown>,
  ports: Pick<SearchPorts, 'searches' | 'now'>,
): Route {
  return route(forwarded(renameLookalikeSearch), guard, async ({ params, body }) => {
    const search = { accountId: params.accountId, searchId: params.search_id };
    const renamed = await renameSearch(ports, search, body.name);
    if (!renamed) {
      throw new Problem('search_not_found');
    }
    return renamed;
  });
}
