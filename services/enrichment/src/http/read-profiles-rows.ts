import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, readProfilesRows } from '@mailproof/shared-types';
import type { ProfilesSource, RowPage } from '../domain/exported/exported-rows.ts';

export function readProfilesRowsRoute(
  guard: Guard<unknown>,
  read: (
    accountId: AccountId,
    source: ProfilesSource,
    keys: readonly string[],
  ) => Promise<RowPage | undefined>,
): Route {
  return route(readProfilesRows, guard, async ({ params: { accountId }, body: { source, keys } }) => {
    const page = await read(accountId, source, keys);
    if (!page) {
      throw new Problem('export_source_not_found');
    }
    return page;
  });
}
