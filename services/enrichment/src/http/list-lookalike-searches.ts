import { type Guard, type Route, readCursor, route, writeCursor } from '@mailproof/service-kit';
import { discoverySearchId, forwarded, listLookalikeSearches } from '@mailproof/shared-types';
import { z } from 'zod';
import { listSearches, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';

const position = z
  .tuple([z.iso.datetime(), discoverySearchId])
  .transform(([createdAt, searchId]) => ({ createdAt: new Date(createdAt), searchId }));

export function listLookalikeSearchesRoute(
  guard: Guard<unknown>,
  ports: Pick<SearchPorts, 'searches'>,
): Route {
  return route(forwarded(listLookalikeSearches), guard, async ({ params, query: { cursor, limit } }) => {
    const after = cursor === undefined ? undefined : readCursor(position, cursor);
    const { rows, next } = await listSearches(ports, params.accountId, after, limit);
    return {
      searches: [...rows],
      ...(next && { next_cursor: writeCursor([next.createdAt, next.searchId]) }),
    };
  });
}
