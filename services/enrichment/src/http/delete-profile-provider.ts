import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, deleteProfileProvider, forwarded } from '@mailproof/shared-types';

export function deleteProfileProviderRoute(
  guardOf: (operation: ReturnType<typeof forwarded>) => Guard<unknown>,
  remove: (accountId: AccountId) => Promise<boolean>,
): Route {
  const operation = forwarded(deleteProfileProvider);
  return route(operation, guardOf(operation), async ({ params: { accountId } }) => {
    if (!(await remove(accountId))) {
      throw new Problem('profile_provider_not_found');
    }
    return {};
  });
}
