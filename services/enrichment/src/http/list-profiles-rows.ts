import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, listProfilesRows } from '@mailproof/shared-types';
import type { KeyPage, ProfilesSource } from '../domain/exported/exported-rows.ts';

export function listProfilesRowsRoute(
  guard: Guard<unknown>,
  list: (
    accountId: AccountId,
    source: ProfilesSource,
    after: string | undefined,
  ) => Promise<KeyPage | undefined>,
): Route {
  return route(listProfilesRows, guard, async ({ params: { accountId }, body: { source, after } }) => {
    const page = await list(accountId, source, after);
    if (!page) {
      throw new Problem('export_source_not_found');
    }
    return page;
  });
}
