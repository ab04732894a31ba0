import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, forwarded, listPeopleSearches } from '@mailproof/shared-types';
import type { StoredPeopleSearch } from '../domain/discovery/people-search-store.ts';
import { searchAnswer } from './search-answer.ts';

const operation = forwarded(listPeopleSearches);

type ListSearches = (
  accountId: AccountId,
  page: { readonly cursor: string | undefined; readonly limit: number },
) => Promise<{ readonly searches: readonly StoredPeopleSearch[]; readonly nextCursor: string | undefined }>;

export function listPeopleSearchesRoute(guard: Guard<unknown>, list: ListSearches): Route {
  return route(operation, guard, async ({ params: { accountId }, query: { cursor, limit } }) => {
    const { searches, nextCursor } = await list(accountId, { cursor, limit });
    return { searches: searches.map(searchAnswer), next_cursor: nextCursor };
  });
}
