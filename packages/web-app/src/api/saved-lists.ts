import { queryOptions } from '@tanstack/react-query';
import { api, queryClient, type Schema } from './client.ts';

export type SavedList = Schema['SavedList'];

const pageRows = 200;

/** All lists of the account by their names: there are few enough to have them at hand. */
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

/** After people, companies or lists have changed: all that shows them. */
export function savedHasChanged(): void {
  for (const path of ['/saved-people', '/saved-lists', '/saved-lists/{list_id}/entries']) {
    void queryClient.invalidateQueries({ queryKey: ['get', path] });
  }
}
