import type { RateDecision } from '@mailproof/shared-types';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
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
 * Counts a request that fails before any work is done against the address that it comes from, and lets the failures of one
 * address pass one by one when there are many.
 *
 * @throws `too_many_failed_attempts`, one to three seconds later, when the address has used up its failures, and
 *   `service_unavailable`
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
  const turnOf = createTurns();
  return async (request, response) => {
    const network = networkOf(request.ip);
    await delay(turnOf(network), response);
    const decision = await countRequest(options.rateLimiter, response, {
      subject: `${options.subject}:${network}`,
      limit: options.perMinuteMax,
      windowMs: failureWindowMs,
    });
    if (!decision.admitted) {
      if (isOwnConnection(request)) {
        // Without the delay, a client that opens a connection for each failure could keep the processor busy.
        holdBack(request.socket);
        await delay(randomDelay(), response);
      }
      throw new Problem('too_many_failed_attempts', { headers: refusalHeaders(request, decision) });
    }
  };
}

/** Failures of one address that pass at once, and the time between those that follow, in milliseconds. */
const turns = { atOnce: 20, everyMs: 20, waitMsMax: 3_000, networksMax: 10_000 } as const;

/**
 * Says how many milliseconds a failure waits for its turn. Before an address has used up its
 * failures, all its connections together would otherwise keep the processor busy for half a second.
 */
function createTurns(): (network: string) => number {
  const nextAtMs = new LRUCache<string, number>({ max: turns.networksMax });
  return network => {
    const nowMs = performance.now();
    const turnAtMs =
      Math.max(nextAtMs.get(network) ?? 0, nowMs - turns.atOnce * turns.everyMs) + turns.everyMs;
    const waitMs = Math.min(Math.max(0, turnAtMs - nowMs), turns.waitMsMax);
    nextAtMs.set(network, Math.min(turnAtMs, nowMs + turns.waitMsMax));
    return waitMs;
  };
}

/** Delay of each refusal to an address that has used up its failures, in milliseconds. */
const refusalDelayMs = { min: 1_000, max: 3_000 } as const;

/** Connections that are refused in the same moment would all come back in the same moment if the delay were fixed. */
function randomDelay(): number {
  return refusalDelayMs.min + Math.random() * (refusalDelayMs.max - refusalDelayMs.min);
}

/** Waits, at most until the client has left. */
async function delay(delayMs: number, response: Response): Promise<void> {
  if (delayMs === 0) {
    return;
  }
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, delayMs);
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
