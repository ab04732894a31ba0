import type { AccountId, PeopleFilters, SavedListId } from '@mailproof/shared-types';
import {
  type IndexOfAccount,
  type ListMembers,
  type NamedMembers,
  type UnknownFilterValue,
  UnknownFilterValues,
} from './people-index.ts';

/** Returns the members of an account's lists; a list that it does not have is missing from the result. */
export type ReadListMembers = (
  accountId: AccountId,
  listIds: readonly SavedListId[],
) => Promise<ReadonlyMap<SavedListId, ListMembers>>;

/**
 * Gives an index the members of the saved lists in a query's filters, read again for each query, so that every use of the
 * index follows the lists. Queries throw `UnknownFilterValues` for lists that the account does not have, such as deleted
 * ones: without them, an excluded list would exclude no one.
 */
export function withSavedLists(indexOf: IndexOfAccount, readMembers: ReadListMembers): IndexOfAccount {
  async function withMembers<Query extends { readonly filters: PeopleFilters }>(
    accountId: AccountId,
    query: Query,
  ): Promise<Query & { readonly members?: NamedMembers }> {
    const { saved_lists: wanted, excluded_saved_lists: excluded = [] } = query.filters;
    if (wanted === undefined && excluded.length === 0) {
      return query;
    }
    const members = await readMembers(accountId, [...new Set([...(wanted ?? []), ...excluded])]);
    const unknown = [
      ...unknownLists('saved_lists', wanted ?? [], members),
      ...unknownLists('excluded_saved_lists', excluded, members),
    ];
    if (unknown.length > 0) {
      throw new UnknownFilterValues(unknown);
    }
    const together = (lists: readonly SavedListId[]): ListMembers => ({
      people: union(lists.map(list => members.get(list)?.people)),
      companies: union(lists.map(list => members.get(list)?.companies)),
      domains: [...new Set(lists.flatMap(list => members.get(list)?.domains ?? []))],
    });
    return { ...query, members: { wanted: wanted && together(wanted), excluded: together(excluded) } };
  }
  return accountId => {
    const index = indexOf(accountId);
    return {
      count: async query => index.count(await withMembers(accountId, query)),
      page: async query => index.page(await withMembers(accountId, query)),
      vocabulary: () => index.vocabulary(),
    };
  };
}

/** The lists of a filter that the account does not have. */
export function unknownLists(
  name: 'saved_lists' | 'excluded_saved_lists',
  lists: readonly SavedListId[],
  members: ReadonlyMap<SavedListId, unknown>,
): UnknownFilterValue[] {
  return lists.flatMap((list, index) =>
    members.has(list) ? [] : [{ pointer: `/${name}/${index}`, value: list, known: [], isWhole: false }],
  );
}

/** Joins ascending numbers. */
export function union(all: readonly (Int32Array | undefined)[]): Int32Array {
  const numbers = new Set<number>();
  for (const each of all) {
    for (const number of each ?? []) numbers.add(number);
  }
  return Int32Array.from(numbers).sort();
}
