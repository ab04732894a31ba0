import { queryOptions } from '@tanstack/react-query';
import { $api, api, queryClient, type Schema } from './client.ts';

export type SavedList = Schema['SavedList'];

const pageRows = 200;

/** All lists of the account; they are few enough to load at once. */
export const savedListsQuery = queryOptions({
  queryKey: ['get', '/saved-lists', 'all'],
  async queryFn({ signal }) {
    const lists: SavedList[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: pageRows, ...(cursor !== undefined && { cursor }) };
      const { data } = await api.GET('/saved-lists', { params: { query }, signal });
      lists.push(...(data?.lists ?? []));
      cursor = data?.next_cursor;
    } while (cursor !== undefined);
    return lists;
  },
});

/** Invalidates all queries that show saved people, companies or lists, after a change to them. */
export function refreshSaved(): void {
  for (const path of [
    '/saved-people',
    '/saved-companies',
    '/saved-lists',
    '/saved-lists/{list_id}/entries',
  ]) {
    void queryClient.invalidateQueries({ queryKey: ['get', path] });
  }
}

const paths = ['/balance', '/usage', '/statement', '/receipts', '/receipts/{run_id}'];

/** Invalidates all queries that show credits, after credits were reserved, spent or returned. */
export async function refreshCredits(): Promise<void> {
  await Promise.all(paths.map(path => queryClient.invalidateQueries({ queryKey: ['get', path] })));
}

/** The filter values for people and companies; they rarely change during a visit. */
export function useVocabulary() {
  return $api.useQuery('get', '/search-vocabulary', {}, { staleTime: 600_000 });
}

interface Pages<Page> {
  readonly data: { readonly pages: readonly Page[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Placeholder rows at the end of a table that has more pages. */
const pendingRows = 5;

/**
 * Adapts a paginated query to the properties of a `VirtualTable`: the next page is fetched when its position becomes
 * visible.
 */
export function pagedRows<Page, Row>(query: Pages<Page>, rowsOf: (page: Page) => readonly Row[]) {
  const rows = query.data?.pages.flatMap(rowsOf) ?? [];
  return {
    rows,
    count: rows.length + (query.hasNextPage ? pendingRows : 0),
    hasMore: query.hasNextPage,
    rowAt: (index: number) => rows[index],
    onSeen(_first: number, last: number) {
      const isWanted = query.hasNextPage && last >= rows.length - pendingRows;
      if (isWanted && !query.isFetchingNextPage && !query.isFetchNextPageError) query.fetchNextPage();
    },
  };
}

/** The pagination options of a cursor-based list, for `useInfiniteQuery`. */
export const byCursor = {
  // Not undefined, because a number would be sent in its place.
  initialPageParam: null,
  getNextPageParam: (page: { next_cursor?: string | undefined }) => page.next_cursor,
};
