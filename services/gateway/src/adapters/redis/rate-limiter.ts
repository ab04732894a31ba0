import { readFileSync } from 'node:fs';
import type { Redis, Result } from 'ioredis';
import type { RateLimiter } from '../../domain/rate-limit.ts';

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

const script = readFileSync(new URL('./sliding-window.lua', import.meta.url), 'utf8');

/** The rate window in Redis: one round trip a request, exact over all replicas. */
export function createRateLimiter(redis: Redis): RateLimiter {
  redis.defineCommand('slidingWindow', { numberOfKeys: 1, lua: script });
  return {
    async admit(subject, requestId, limit, windowMs) {
      const [admitted, count, now, leaves] = await redis.slidingWindow(
        `rate:${subject}`,
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
      await redis.zrem(`rate:${subject}`, requestId);
    },
    async forget(subject) {
      await redis.del(`rate:${subject}`);
    },
  };
}
