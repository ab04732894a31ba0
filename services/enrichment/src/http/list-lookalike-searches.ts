import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listLookalikeSearches } from '@mailproof/shared-types';
import { listSearches, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';
import { readSearchCursor, searchCursorOf } from './lookalike-cursors.ts';

export function listLookalikeSearchesRoute(
  guard: Guard<unknown>,
  ports: Pick<SearchPorts, 'searches'>,
): Route {
  return route(forwarded(listLookalikeSearches), guard, async ({ params, query: { cursor, limit } }) => {
    const after = cursor === undefined ? undefined : readSearchCursor(cursor);
    const { rows, next } = await listSearches(ports, params.accountId, after, limit);
    return { searches: [...rows], ...(next && { next_cursor: searchCursorOf(next) }) };
  });
}
