interface Pages<Page> {
  readonly data: { readonly pages: readonly Page[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Rows that are drawn as still coming at the end of a table that goes on. */
const pendingRows = 5;

/** What a `VirtualTable` asks for, from a question that is answered page by page: the next page comes when its place is seen. */
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

/** How the pages of a list follow each other, for `useInfiniteQuery`. */
export const byCursor = {
  // Not undefined, in whose place a number would be sent.
  initialPageParam: null,
  getNextPageParam: (page: { next_cursor?: string | undefined }) => page.next_cursor,
};
