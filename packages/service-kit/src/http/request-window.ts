import type { Response } from 'express';
import { unavailable } from '../problem.ts';
import type { RateDecision, RateLimiter } from '../stores/rate-limiter.ts';

/** Counts a request. Without the window nothing can be admitted safely, so the answer is 503 while Redis is away. */
export async function countRequest(
  rateLimiter: RateLimiter,
  response: Response,
  { subject, limit, windowMs }: { subject: string; limit: number; windowMs: number },
): Promise<RateDecision> {
  try {
    return await rateLimiter.admit(subject, response.locals['requestId'] as string, limit, windowMs);
  } catch (error) {
    throw unavailable('Requests cannot be counted right now.', error);
  }
}

/** `Retry-After` for a wait. */
export function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(secondsUntil(waitMs)) };
}

/** A wait in whole seconds, never none. */
export function secondsUntil(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000));
}
