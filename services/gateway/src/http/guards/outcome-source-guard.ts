import {
  type CountFailure,
  countRequest,
  type Guard,
  Problem,
  type RateWindows,
  refusalHeaders,
} from '@mailproof/service-kit';
import { type AccountId, limits, type OutcomeSourceId, outcomeSourceToken } from '@mailproof/shared-types';

/** A mail provider that has called the URL of an outcome source. */
export interface ProviderCaller {
  readonly accountId: AccountId;
  readonly sourceId: OutcomeSourceId;
}

export interface OutcomeSourceGuardOptions {
  /** Finds the source with this token. Throws `outcome_source_not_found`. */
  readonly findSource: (token: string) => Promise<ProviderCaller>;
  readonly rateLimiter: RateWindows;
  readonly countFailure: CountFailure;
}

/**
 * Admits requests to the URL of an outcome source, at the rate of one source. Unknown URLs count as failed attempts of
 * their client address, as wrong API keys do.
 */
export function createOutcomeSourceGuard(options: OutcomeSourceGuardOptions): Guard<ProviderCaller> {
  const { findSource, rateLimiter, countFailure } = options;
  return async (request, response) => {
    const token = outcomeSourceToken.safeParse(request.params['token']);
    const source = token.success
      ? await findSource(token.data).catch(error => {
          if (error instanceof Problem && error.code === 'outcome_source_not_found') {
            return undefined;
          }
          throw error;
        })
      : undefined;
    if (source === undefined) {
      await countFailure(request, response);
      throw new Problem('outcome_source_not_found');
    }
    response.locals['accountId'] = source.accountId;
    const decision = await countRequest(rateLimiter, response, {
      subject: source.sourceId,
      limit: limits.outcomeSourceRequestsPerSecond,
      windowMs: limits.rateWindowMs,
    });
    if (!decision.admitted) {
      throw new Problem('too_many_requests', {
        detail: `An outcome source accepts ${decision.limit} requests per second. Send the request again.`,
        headers: refusalHeaders(request, decision),
      });
    }
    return source;
  };
}
