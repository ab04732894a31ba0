import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, forwarded, testProfileProvider } from '@mailproof/shared-types';
import type { ProviderTrial } from '../domain/profile-provider/try-provider.ts';
import { type ProfileUrl, parseProfileUrl } from '../domain/profile-url/parse-profile-url.ts';

export function testProfileProviderRoute(
  guardOf: (operation: ReturnType<typeof forwarded>) => Guard<unknown>,
  tryOut: (
    accountId: AccountId,
    profile: ProfileUrl,
    signal: AbortSignal,
  ) => Promise<ProviderTrial | undefined>,
): Route {
  const operation = forwarded(testProfileProvider);
  return route(operation, guardOf(operation), async ({ params: { accountId }, body }, { signal }) => {
    const profile = parseProfileUrl(body.profile_url);
    if (profile === undefined) {
      throw new Problem('invalid_profile_url');
    }
    const startedAtMs = performance.now();
    const trial = await tryOut(accountId, profile, signal);
    if (trial === undefined) {
      throw new Problem('profile_provider_not_found');
    }
    return {
      outcome: trial.outcome,
      profile: trial.outcome === 'found' ? trial.profile : null,
      failure:
        trial.outcome === 'failed' ? { reason: trial.failure.reason, status: trial.failure.status } : null,
      elapsed_ms: Math.round(performance.now() - startedAtMs),
    };
  });
}
