import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { enrichProfile } from '@mailproof/shared-types';
import type { Enrichment, EnrichmentRequest } from '../domain/profile-enrichment/enrich-profile.ts';

/** Of the time that the gateway gives, what the way back and the last statement take, in milliseconds. */
const marginMs = 500;

export function enrichProfileRoute(
  guard: Guard<unknown>,
  enrich: (request: EnrichmentRequest) => Promise<Enrichment>,
): Route {
  return route(enrichProfile, guard, async ({ body }, context) => {
    const { deadlineMs, ...request } = body;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error('deadline exceeded')), deadlineMs - marginMs);
    try {
      const signal = AbortSignal.any([deadline.signal, context.signal]);
      const enrichment = await enrich({ ...request, signal });
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
  });
}
