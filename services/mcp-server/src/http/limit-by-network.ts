import { networkOf, type RateWindows, refusalHeaders, secondsUntil } from '@mailproof/service-kit';
import type { RequestHandler, Response } from 'express';

export interface NetworkLimit {
  readonly limiter: RateWindows;
  /** What is counted together. */
  readonly subject: string;
  readonly requestsMax: number;
  readonly windowMs: number;
  /** Answers a request too many (429), or one that cannot be counted (503); `Retry-After` is set already. */
  readonly refuse: Refuse;
}

export type Refuse = (response: Response, status: 429 | 503, retryInSeconds: number) => void;

/** Time after which to try again while Redis is away, in seconds. */
const awaySeconds = 5;

/** Lets a client network ask only so often, over all replicas. */
export function limitByNetwork(limit: NetworkLimit): RequestHandler {
  const { limiter, subject, requestsMax, windowMs, refuse } = limit;
  return async (request, response, next) => {
    const requestId = String(response.locals['requestId']);
    const network = networkOf(request.ip);
    // Without a count everything would be let in, and a sign-in could not go on anyway.
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
    status === 429
      ? 'There were too many requests from this network.'
      : 'A part of the service is not available right now.';
  response.status(status).json({
    error: 'temporarily_unavailable',
    error_description: `${why} Try again in ${retryInSeconds} seconds.`,
  });
};
