import type { RateDecision } from '@mailproof/shared-types';
import type { Request, Response } from 'express';
import { networkOf } from '../net/client-network.ts';
import { Problem, unavailable } from '../problem.ts';
import type { RateWindows } from '../stores/rate-limiter.ts';
import { holdBack } from './client-connections.ts';

/** Counts a request. Without the window nothing can be admitted safely, so the answer is 503 while Redis is away. */
export async function countRequest(
  rateLimiter: RateWindows,
  response: Response,
  { subject, limit, windowMs }: { subject: string; limit: number; windowMs: number },
): Promise<RateDecision> {
  try {
    return await rateLimiter.admit(subject, response.locals['requestId'] as string, limit, windowMs);
  } catch (error) {
    throw unavailable('Requests cannot be counted right now.', error);
  }
}

/**
 * Counts a request that fails before any work is done against the address that it comes from.
 *
 * @throws `too_many_failed_attempts`, a second later, when the address has used up its failures, and `service_unavailable`
 */
export type CountFailure = (request: Request, response: Response) => Promise<void>;

const failureWindowMs = 60_000;

export function createFailureCount(options: {
  readonly rateLimiter: RateWindows;
  /** What is counted together. */
  readonly subject: string;
  /** Failures that one client address may make in a minute. */
  readonly perMinuteMax: number;
}): CountFailure {
  return async (request, response) => {
    const decision = await countRequest(options.rateLimiter, response, {
      subject: `${options.subject}:${networkOf(request.ip)}`,
      limit: options.perMinuteMax,
      windowMs: failureWindowMs,
    });
    if (!decision.admitted) {
      if (isOwnConnection(request)) {
        await delayRefusal(request, response);
      }
      throw new Problem('too_many_failed_attempts', { headers: refusalHeaders(request, decision) });
    }
  };
}

/** Delay of each refusal to an address that has used up its failures, in milliseconds. */
const refusalDelayMs = 1_000;

/** Without the delay, a client that opens a connection for each failure could keep the processor busy. */
function delayRefusal({ socket }: Request, response: Response): Promise<void> {
  holdBack(socket);
  return new Promise(resolve => {
    const timer = setTimeout(resolve, refusalDelayMs);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A connection of a trusted proxy carries other clients too, so it is neither held nor closed. */
function isOwnConnection(request: Request): boolean {
  return request.ip === request.socket.remoteAddress;
}

/** The headers of a refusal: when to retry, and the end of the connection if it is the client's own. */
export function refusalHeaders(
  request: Request,
  { resetInMs }: Pick<RateDecision, 'resetInMs'>,
): Readonly<Record<string, string>> {
  return { ...retryAfter(resetInMs), ...(isOwnConnection(request) && closing) };
}

/** Closes the connection after the answer, so that requests which the client has sent behind it are dropped. */
const closing = { connection: 'close' } as const;

/** `Retry-After` for a wait. */
export function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(secondsUntil(waitMs)) };
}

/** A wait in whole seconds, never none. */
export function secondsUntil(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000));
}
