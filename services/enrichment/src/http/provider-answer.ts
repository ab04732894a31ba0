import type { OperationResult, putProfileProvider } from '@mailproof/shared-types';
import type { ProfileProvider } from '../domain/profile-provider/profile-provider.ts';

/** A provider as its owners see it: secret headers by name alone. */
export function providerAnswer(provider: ProfileProvider): OperationResult<typeof putProfileProvider> {
  const { settings, updatedAt, lastSuccessAt, lastFailure } = provider;
  return {
    ...settings,
    headers: settings.headers.map(({ name, value, is_secret }) =>
      is_secret || value === undefined ? { name, is_secret } : { name, value, is_secret },
    ),
    updated_at: updatedAt.toISOString(),
    health: {
      last_success_at: lastSuccessAt?.toISOString() ?? null,
      last_failure_at: lastFailure?.at.toISOString() ?? null,
      last_failure: lastFailure && { reason: lastFailure.reason, status: lastFailure.status },
    },
  };
}
