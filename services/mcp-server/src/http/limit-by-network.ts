import { networkOf, type RateLimiter } from '@mailproof/service-kit';
import type { RequestHandler, Response } from 'express';

export interface NetworkLimit {
  readonly limiter: RateLimiter;
  /** What is counted together. */
  readonly subject: string;
  readonly requestsMax: number;
  readonly windowMs: number;
  /** Answers a request too many; `Retry-After` is set already. */
  readonly refuse: (response: Response, retryInSeconds: number) => void;
}

/** Lets a client network ask only so often, over all replicas. */
export function limitByNetwork(limit: NetworkLimit): RequestHandler {
  const { limiter, subject, requestsMax, windowMs, refuse } = limit;
  return async (request, response, next) => {
    const requestId = String(response.locals['requestId']);
    const decision = await limiter.admit(
      `${subject}:${networkOf(request.ip)}`,
      requestId,
      requestsMax,
      windowMs,
    );
    if (decision.admitted) {
      next();
      return;
    }
    const retryInSeconds = Math.max(1, Math.ceil(decision.resetInMs / 1_000));
    response.set('retry-after', String(retryInSeconds));
    refuse(response, retryInSeconds);
  };
}

/** Refuses as the OAuth endpoints do (RFC 6749 section 5.2). */
export function refuseInJson(response: Response, retryInSeconds: number): void {
  response.status(429).json({
    error: 'temporarily_unavailable',
    error_description: `There were too many requests from this network. Try again in ${retryInSeconds} seconds.`,
  });
}
