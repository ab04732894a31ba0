import {
  networkOf,
  type RateWindows,
  refusalHeaders,
  secondsUntil,
  unavailable,
} from '@mailproof/service-kit';
import { type AccountId, limits, newId } from '@mailproof/shared-types';
import type { RequestHandler, Response } from 'express';

interface NetworkLimit {
  readonly limiter: RateWindows;
  /** The name of the count; limits with the same subject share it. */
  readonly subject: string;
  readonly requestsMax: number;
  readonly windowMs: number;
  /** Refuses a request that exceeds the limit (429) or cannot be counted (503); `Retry-After` is already set. */
  readonly refuse: Refuse;
}

type Refuse = (response: Response, status: 429 | 503, retryInSeconds: number) => void;

/** The `Retry-After` while Redis is unavailable, in seconds. */
const awaySeconds = 5;

/** Limits the requests of a client network, across all replicas. */
export function limitByNetwork(limit: NetworkLimit): RequestHandler {
  const { limiter, subject, requestsMax, windowMs, refuse } = limit;
  return async (request, response, next) => {
    const requestId = String(response.locals['requestId']);
    const network = networkOf(request.ip);
    // Refuse when Redis is unavailable: without a count every request would be admitted, and a sign-in could not
    // continue anyway.
    const decision = await limiter
      .admit(`${subject}:${network}`, requestId, requestsMax, windowMs)
      .catch(() => undefined);
    if (decision?.admitted) {
      next();
      return;
    }
    if (decision) {
      response.set(refusalHeaders(request, decision));
      refuse(response, 429, secondsUntil(decision.resetInMs));
    } else {
      response.set('retry-after', String(awaySeconds));
      refuse(response, 503, awaySeconds);
    }
  };
}

/** Refuses as the OAuth endpoints do (RFC 6749 section 5.2). */
export const refuseInJson: Refuse = (response, status, retryInSeconds) => {
  const why =
    status === 429 ? 'Too many requests from this network.' : 'The service is temporarily unavailable.';
  response.status(status).json({
    error: 'temporarily_unavailable',
    error_description: `${why} Try again in ${retryInSeconds} seconds.`,
  });
};

/**
 * Counts the requests of an account's assistants that do not reach the REST interface, which counts all others. Returns
 * the wait in seconds if there were too many.
 */
export type CountRequest = (accountId: AccountId) => Promise<number | undefined>;

export function createRequestCounter(rateLimiter: RateWindows, perSecondMax: number): CountRequest {
  return async accountId => {
    const decision = await rateLimiter
      .admit(`mcp:${accountId}`, newId('request'), perSecondMax, limits.rateWindowMs)
      .catch(cause => {
        throw unavailable('The rate limit cannot be checked right now.', cause);
      });
    return decision.admitted ? undefined : secondsUntil(decision.resetInMs);
  };
}
