import { type RateWindows, secondsUntil, unavailable } from '@mailproof/service-kit';
import { type AccountId, limits, newId } from '@mailproof/shared-types';

/**
 * Counts what an account's assistants ask without reaching the REST interface, which counts everything else. Answers the
 * wait in seconds when they asked too often.
 */
export type CountRequest = (accountId: AccountId) => Promise<number | undefined>;

export function createRequestCounter(rateLimiter: RateWindows, perSecondMax: number): CountRequest {
  return async accountId => {
    const decision = await rateLimiter
      .admit(`mcp:${accountId}`, newId('request'), perSecondMax, limits.rateWindowMs)
      .catch(cause => {
        throw unavailable('Requests cannot be counted right now.', cause);
      });
    return decision.admitted ? undefined : secondsUntil(decision.resetInMs);
  };
}
