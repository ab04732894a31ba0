import { readFileSync } from 'node:fs';
import type { RateDecision, RateLimiter } from '@mailproof/shared-types';
import type { Redis, Result } from 'ioredis';
import { LRUCache } from 'lru-cache';

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

/** Refused subjects that a process remembers; beyond them Redis is asked again. */
const refusedSubjectsMax = 10_000;

/**
 * Remembers who was refused until when, and refuses without asking Redis until then: no request can be admitted before
 * the oldest one leaves the window, so the answer is the same. Not for windows from which requests are taken back.
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
