import { type Handlers, Problem, simulatedProblem } from '@mailproof/service-kit';
import { prices } from '@mailproof/shared-types';
import type { Enrichment, EnrichmentRequest } from '../domain/profile-enrichment/enrich-profile.ts';
import { parseProfileUrl } from '../domain/profile-url/parse-profile-url.ts';
import { isSandboxProfile } from '../domain/sandbox/sandbox-records.ts';
import { SimulatedError } from '../domain/sandbox/simulated-errors.ts';

/** Handlers of profile lookups by URL and of opt-outs. */
export function profileHandlers(
  enrich: (request: EnrichmentRequest) => Promise<Enrichment>,
  suppress: (profileKey: string) => Promise<void>,
) {
  return {
    async enrichProfile({ body }, context) {
      const { deadlineMs, ...request } = body;
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new Error('deadline exceeded')), deadlineMs - marginMs);
      try {
        const signal = AbortSignal.any([deadline.signal, context.signal]);
        const enrichment = await enrich({ ...request, signal }).catch(error => {
          throw error instanceof SimulatedError
            ? simulatedProblem(error.code, prices.profileEnrichment)
            : error;
        });
        switch (enrichment.outcome) {
          case 'invalid':
            throw new Problem('invalid_profile_url');
          case 'unanswered':
            throw new Problem('profile_source_unavailable', {
              detail: enrichment.failures.map(({ message }) => message).join(' '),
            });
          default:
            return enrichment;
        }
      } finally {
        clearTimeout(timer);
      }
    },

    async recogniseProfileUrl({ body }) {
      const profile = parseProfileUrl(body.profileUrl);
      if (profile === undefined || isSandboxProfile(profile.profileKey)) {
        throw new Problem('invalid_profile_url');
      }
      return { profileUrl: profile.profileUrl, kind: profile.kind ?? null };
    },

    async suppressProfile({ body }) {
      const profile = parseProfileUrl(body.profileUrl);
      if (profile === undefined || isSandboxProfile(profile.profileKey)) {
        throw new Problem('invalid_profile_url');
      }
      if (profile.kind === 'organisation') {
        throw new Problem('profile_of_an_organisation');
      }
      await suppress(profile.profileKey);
      return { done: true as const };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

/** The part of the gateway's deadline reserved for the response and the last statement, in milliseconds. */
const marginMs = 500;
