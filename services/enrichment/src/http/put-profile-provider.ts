import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, forwarded, putProfileProvider } from '@mailproof/shared-types';
import type { ProviderSettings } from '../domain/profile-provider/profile-provider.ts';
import type { ProviderSetup } from '../domain/profile-provider/provider-setup.ts';
import { providerAnswer } from './provider-answer.ts';

export function putProfileProviderRoute(
  guardOf: (operation: ReturnType<typeof forwarded>) => Guard<unknown>,
  setUp: (accountId: AccountId, settings: ProviderSettings) => Promise<ProviderSetup>,
): Route {
  const operation = forwarded(putProfileProvider);
  return route(operation, guardOf(operation), async ({ params: { accountId }, body }) => {
    const done = await setUp(accountId, body);
    if (!done.ok) {
      throw new Problem('profile_provider_not_valid', { extra: { errors: [...done.faults] } });
    }
    return providerAnswer(done.provider);
  });
}
