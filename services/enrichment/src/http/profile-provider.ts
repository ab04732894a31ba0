import { type Handlers, Problem } from '@mailproof/service-kit';
import type { AccountId, OperationResult, putProfileProvider } from '@mailproof/shared-types';
import {
  monthOf,
  type ProfileProvider,
  type ProfileProviderStore,
  type ProviderSettings,
} from '../domain/profile-provider/profile-provider.ts';
import { stepsOf } from '../domain/profile-provider/provider-settings.ts';
import type { ProviderSetup, ProviderTrial } from '../domain/profile-provider/provider-setup.ts';
import { type ProfileUrl, parseProfileUrl } from '../domain/profile-url/parse-profile-url.ts';

export interface ProfileProviderHandlerPorts {
  readonly providers: Pick<ProfileProviderStore, 'find' | 'remove'>;
  readonly setUp: (accountId: AccountId, settings: ProviderSettings) => Promise<ProviderSetup>;
  readonly tryOut: (
    accountId: AccountId,
    profile: ProfileUrl,
    signal: AbortSignal,
  ) => Promise<ProviderTrial | undefined>;
}

/** Handlers of an account's own profile provider. */
export function profileProviderHandlers({ providers, setUp, tryOut }: ProfileProviderHandlerPorts) {
  return {
    async getProfileProvider({ params: { accountId } }) {
      const provider = await providers.find(accountId);
      if (provider === undefined) {
        throw new Problem('profile_provider_not_found');
      }
      return providerAnswer(provider);
    },

    async putProfileProvider({ params: { accountId }, body }) {
      const done = await setUp(accountId, body);
      if (!done.ok) {
        throw new Problem('profile_provider_not_valid', { extra: { errors: [...done.faults] } });
      }
      return providerAnswer(done.provider);
    },

    async deleteProfileProvider({ params: { accountId } }) {
      if (!(await providers.remove(accountId))) {
        throw new Problem('profile_provider_not_found');
      }
      return {};
    },

    async testProfileProvider({ params: { accountId }, body }, { signal }) {
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
          trial.outcome === 'failed'
            ? { reason: trial.failure.reason, status: trial.failure.status, provider: trial.provider }
            : null,
        elapsed_ms: Math.round(performance.now() - startedAtMs),
      };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

/** An account's providers as shown to its owners: secret headers by name only. */
function providerAnswer(provider: ProfileProvider): OperationResult<typeof putProfileProvider> {
  const { settings, updatedAt, lastSuccessAt, lastFailure, spent } = provider;
  const [first, ...fallbacks] = stepsOf(settings).map(step => ({
    ...step,
    headers: step.headers.map(({ name, value, is_secret }) =>
      is_secret || value === undefined ? { name, is_secret } : { name, value, is_secret },
    ),
  }));
  return {
    ...(first as NonNullable<typeof first>),
    fallbacks,
    updated_at: updatedAt.toISOString(),
    health: {
      requests_this_month: spent.month === monthOf(new Date()) ? spent.requests : {},
      last_success_at: lastSuccessAt?.toISOString() ?? null,
      last_failure_at: lastFailure?.at.toISOString() ?? null,
      last_failure: lastFailure && {
        reason: lastFailure.reason,
        status: lastFailure.status,
        provider: lastFailure.provider,
      },
    },
  };
}
