import { type OperationClient, Problem } from '@mailproof/service-kit';
import { recogniseProfileUrl, suppressProfile } from '@mailproof/shared-types';
import type { ProfileKeeper } from '../../domain/opt-outs/opt-out.ts';

const deadlineMs = 8_000;

/** The enrichment service over HTTP, for opt-outs. */
export function createProfileKeeper(client: OperationClient): ProfileKeeper {
  return {
    async recognize(profileUrl, signal) {
      const request = { params: {}, body: { profileUrl } };
      const recognized = await client.call(recogniseProfileUrl, request, { deadlineMs, signal });
      if (recognized.kind === 'organisation') {
        throw new Problem('profile_of_an_organisation');
      }
      return recognized.profileUrl;
    },
    async suppress(profileUrl, signal) {
      await client.call(suppressProfile, { params: {}, body: { profileUrl } }, { deadlineMs, signal });
    },
  };
}
