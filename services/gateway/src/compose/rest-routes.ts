import type { Guard, Route } from '@mailproof/service-kit';
import {
  type AccountId,
  getMe,
  type Operation,
  profileEnrichment,
  uploadOutcomes,
  validateSingleEmail,
} from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import type { ChargedEnrichment, EnrichmentRequest } from '../domain/charging/enrich-profile.ts';
import type { ChargingRouteOptions } from '../http/charging-route.ts';
import { getMeRoute } from '../http/get-me.ts';
import { profileEnrichmentRoute } from '../http/profile-enrichment.ts';
import { type UploadOutcomes, uploadOutcomesRoute } from '../http/upload-outcomes.ts';
import { type Validate, validateSingleEmailRoute } from '../http/validate-single-email.ts';

export interface RestRoutesOptions {
  readonly availableCredits: (accountId: AccountId) => Promise<number>;
  readonly validate: Validate;
  readonly enrich: (request: EnrichmentRequest) => Promise<ChargedEnrichment>;
  readonly upload: UploadOutcomes;
  readonly charging: Omit<ChargingRouteOptions, 'guard'>;
  /** The longest that one enrichment can take; after that another may take over. */
  readonly enrichmentMsMax: number;
}

/** Makes the routes of the REST interface that take an API key, behind a guard that finds the account. */
export type RestRoutes = (guardOf: (operation: Operation) => Guard<Account>) => readonly Route[];

/**
 * The same routes are mounted behind the API-key guard and, for the tool server, behind the assistant guard (ADR 0026).
 */
export function composeRestRoutes(options: RestRoutesOptions): RestRoutes {
  const { charging, enrichmentMsMax } = options;
  return guardOf => [
    getMeRoute(guardOf(getMe), options.availableCredits),
    validateSingleEmailRoute({ ...charging, guard: guardOf(validateSingleEmail) }, options.validate),
    profileEnrichmentRoute(
      { ...charging, guard: guardOf(profileEnrichment), attemptMsMax: enrichmentMsMax },
      options.enrich,
    ),
    uploadOutcomesRoute(guardOf(uploadOutcomes), options.upload),
  ];
}
