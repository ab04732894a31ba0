import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, getProfileProvider } from '@mailproof/shared-types';
import type { ProfileProviderStore } from '../domain/profile-provider/profile-provider.ts';
import { providerAnswer } from './provider-answer.ts';

export function getProfileProviderRoute(
  guardOf: (operation: ReturnType<typeof forwarded>) => Guard<unknown>,
  providers: Pick<ProfileProviderStore, 'find'>,
): Route {
  const operation = forwarded(getProfileProvider);
  return route(operation, guardOf(operation), async ({ params: { accountId } }) => {
    const provider = await providers.find(accountId);
    if (provider === undefined) {
      throw new Problem('profile_provider_not_found');
    }
    return providerAnswer(provider);
  });
}
