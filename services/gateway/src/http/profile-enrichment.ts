import type { Route } from '@mailproof/service-kit';
import { profileEnrichment } from '@mailproof/shared-types';
import type { ChargedEnrichment, EnrichmentRequest } from '../domain/charging/enrich-profile.ts';
import { type ChargingRouteOptions, chargingRoute } from './charging-route.ts';

export function profileEnrichmentRoute(
  options: ChargingRouteOptions,
  enrich: (request: EnrichmentRequest) => Promise<ChargedEnrichment>,
): Route {
  return chargingRoute(profileEnrichment, options, async ({ body, query }, context) => {
    const { found, ...charged } = await enrich({
      accountId: context.caller.accountId,
      runId: context.runId,
      profileUrl: body.profile_url,
      maxAgeSeconds: query.max_age,
      signal: context.signal,
    });
    if (found.outcome === 'notFound') {
      return { ...charged, result: {} };
    }
    context.setHeader('age', found.ageSeconds);
    const provenance = query.provenance ? { provenance: found.provenance } : {};
    return { ...charged, result: { ...found.profile, ...provenance } };
  });
}
