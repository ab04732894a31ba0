import { readFileSync } from 'node:fs';
import type { Redis, Result } from 'ioredis';

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

/** What the limiter says of one request. */
export interface RateDecision {
  readonly admitted: boolean;
  readonly limit: number;
  /** Requests left in the current window. */
  readonly remaining: number;
  /** When the oldest counted request leaves the window, in Unix milliseconds. */
  readonly resetAtMs: number;
  /** Time until then by the limiter's own clock, in milliseconds. */
  readonly resetInMs: number;
}

/** Counts requests in an exact sliding window that all replicas share. Refused requests are not counted. */
export interface RateLimiter {
  /** `requestId` tells counted requests apart; `windowMs` is the length of the window. */
  admit(subject: string, requestId: string, limit: number, windowMs: number): Promise<RateDecision>;
  /** Uncounts a request that was admitted. */
  takeBack(subject: string, requestId: string): Promise<void>;
  /** Uncounts every request of a subject. */
  forget(subject: string): Promise<void>;
}

const script = readFileSync(new URL('./sliding-window.lua', import.meta.url), 'utf8');

/**
 * The rate window in Redis: one round trip a request, exact over all replicas.
 *
 * @param service whose windows they are; its user of Redis may touch no other's (ADR 0055)
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
    async takeBack(subject, requestId) {
      await redis.zrem(keyOf(subject), requestId);
    },
    async forget(subject) {
      await redis.del(keyOf(subject));
    },
  };
}
