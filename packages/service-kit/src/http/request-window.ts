import { readFileSync } from 'node:fs';
import type { RateDecision, RateLimiter } from '@mailproof/shared-types';
import type { Request, Response } from 'express';
import type { Redis, Result } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../net/client-network.ts';
import { Problem, unavailable } from '../problem.ts';
import { holdBack } from './client-connections.ts';

/** Counts a request. While Redis is down, nothing can be admitted safely, so the answer is 503. */
export async function countRequest(
  rateLimiter: RateWindows,
  response: Response,
  { subject, limit, windowMs }: { subject: string; limit: number; windowMs: number },
): Promise<RateDecision> {
  try {
    return await rateLimiter.admit(subject, response.locals['requestId'] as string, limit, windowMs);
  } catch (error) {
    throw unavailable('The rate limit cannot be checked right now.', error);
  }
}

/**
 * Counts a request that fails before any work is done, against its client's address. If one address has many failures,
 * they are handled one by one.
 *
 * @throws `too_many_failed_attempts`, after one to three seconds, if the address has used up its failures; or
 *   `service_unavailable`
 */
export type CountFailure = (request: Request, response: Response) => Promise<void>;

const failureWindowMs = 60_000;

export function createFailureCount(options: {
  readonly rateLimiter: RateWindows;
  /** Name of the failures that are counted together. */
  readonly subject: string;
  /** Failures allowed per minute for one client address. */
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

/** How many failures of one address pass at once, and the time between later ones, in milliseconds. */
const turns = { atOnce: 20, everyMs: 20, waitMsMax: 3_000, networksMax: 10_000 } as const;

/**
 * Returns a function that says how many milliseconds a failure waits for its turn. Otherwise an address that has not
 * yet used up its failures could keep the processor busy for half a second with all its connections together.
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

/** With a fixed delay, connections that are refused at the same time would also retry at the same time. */
function randomDelay(): number {
  return refusalDelayMs.min + Math.random() * (refusalDelayMs.max - refusalDelayMs.min);
}

/** Waits, but no longer than the client stays connected. */
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

/**
 * Whether the connection is the client's own. One from a trusted proxy also carries other clients, so it is not held or
 * closed.
 */
function isOwnConnection(request: Request): boolean {
  return request.ip === request.socket.remoteAddress;
}

/** The headers of a refusal: when to retry, and `Connection: close` if the connection is the client's own. */
export function refusalHeaders(
  request: Request,
  { resetInMs }: Pick<RateDecision, 'resetInMs'>,
): Readonly<Record<string, string>> {
  return { ...retryAfter(resetInMs), ...(isOwnConnection(request) && closing) };
}

/** Closes the connection after the answer, so that requests which the client sent after this one are dropped. */
const closing = { connection: 'close' } as const;

/** Returns the `Retry-After` header for a wait. */
export function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(secondsUntil(waitMs)) };
}

/** Rounds a wait up to whole seconds, at least one. */
export function secondsUntil(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000));
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    slidingWindow(
      key: string,
      limit: number,
      windowMicroseconds: number,
      member: string,
    ): Result<
      [admitted: number, count: number, nowMicroseconds: string, leavesMicroseconds: string],
      Context
    >;
  }
}

/** The part of a limiter that only counts. */
export type RateWindows = Pick<RateLimiter, 'admit'>;

/** How many refused subjects a process remembers; for others it asks Redis. */
const refusedSubjectsMax = 10_000;

/**
 * Remembers how long a subject is refused, and until then refuses it without asking Redis. The answer is the same,
 * because no request can be admitted before the oldest one leaves the window. Do not use it for windows whose requests
 * can be removed.
 */
export function rememberRefusals(limiter: RateWindows): RateWindows {
  const refused = new LRUCache<string, { readonly decision: RateDecision; readonly untilMs: number }>({
    max: refusedSubjectsMax,
  });
  return {
    async admit(subject, requestId, limit, windowMs) {
      const nowMs = performance.now();
      const known = refused.get(subject);
      if (known !== undefined && known.untilMs > nowMs && known.decision.limit === limit) {
        return { ...known.decision, resetInMs: known.untilMs - nowMs };
      }
      const decision = await limiter.admit(subject, requestId, limit, windowMs);
      if (decision.admitted) {
        refused.delete(subject);
      } else {
        refused.set(subject, { decision, untilMs: performance.now() + decision.resetInMs });
      }
      return decision;
    },
  };
}

const script = readFileSync(new URL('../stores/sliding-window.lua', import.meta.url), 'utf8');

/**
 * Creates a limiter with its rate windows in Redis: one round trip per request, exact across all replicas.
 *
 * @param service the owner of the windows; its Redis user cannot access those of another service (ADR 0055)
 */
export function createRateLimiter(redis: Redis, service: string): RateLimiter {
  redis.defineCommand('slidingWindow', { numberOfKeys: 1, lua: script });
  const keyOf = (subject: string) => `rate:${service}:${subject}`;
  return {
    async admit(subject, requestId, limit, windowMs) {
      const [admitted, count, now, leaves] = await redis.slidingWindow(
        keyOf(subject),
        limit,
        windowMs * 1_000,
        requestId,
      );
      return {
        admitted: admitted === 1,
        limit,
        remaining: Math.max(0, limit - count),
        resetAtMs: Math.ceil(Number(leaves) / 1_000),
        resetInMs: Math.max(0, (Number(leaves) - Number(now)) / 1_000),
      };
    },
    async uncount(subject, requestId) {
      await redis.zrem(keyOf(subject), requestId);
    },
    async forget(subject) {
      await redis.del(keyOf(subject));
    },
  };
}
