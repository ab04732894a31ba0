import { type OperationClient, Problem } from '@mailproof/service-kit';
import { enrichProfile, limits } from '@mailproof/shared-types';
import type { ProfilePort } from '../../domain/charging/enrich-profile.ts';

/** Time that the answer may take on its way, on top of the deadline of the enrichment service. */
const transportMs = 2_000;
/** A look at the suppressions and at the store. */
const checkDeadlineMs = 5_000;
/** A source that failed is worth asking again after so long. */
const retryAfterSeconds = '30';

/** The enrichment service over HTTP, as far as profiles are looked up by their URLs. */
export function createProfilesClient(client: OperationClient): ProfilePort {
  const call = (
    { accountId, profileUrl, maxAgeSeconds, signal }: Parameters<ProfilePort['enrich']>[0],
    deadlineMs: number,
    onlyChecksUrl: boolean,
  ) =>
    client
      .call(
        enrichProfile,
        { params: {}, body: { accountId, profileUrl, maxAgeSeconds, deadlineMs, onlyChecksUrl } },
        { deadlineMs: deadlineMs + transportMs, signal },
      )
      .catch(error => {
        throw error instanceof Problem && error.code === 'profile_source_unavailable'
          ? new Problem(error.code, {
              ...(error.detail !== undefined && { detail: error.detail }),
              headers: { 'retry-after': retryAfterSeconds },
            })
          : error;
      });
  return {
    enrich: request => call(request, limits.profileDeadlineMs, false),
    check: async request => void (await call(request, checkDeadlineMs, true)),
  };
}
