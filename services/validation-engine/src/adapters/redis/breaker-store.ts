import { readFileSync } from 'node:fs';
import type { Redis, Result } from 'ioredis';
import { z } from 'zod';
import { type Breaker, breakerLifetimeMs, closedBreaker } from '../../domain/standing/breaker.ts';
import type { BreakerStore } from '../../domain/standing/breaker-store.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    compareAndSet(key: string, expected: string, value: string, lifetimeMs: number): Result<0 | 1, Context>;
  }
}

const script = readFileSync(new URL('./compare-and-set.lua', import.meta.url), 'utf8');

/** Changes by others that a step waits out. More would mean that hundreds learn the same at once, which one will tell. */
const attemptsMax = 20;

const breakerForm = z.object({
  blocks: z.array(z.object({ subject: z.string(), atMs: z.number() })),
  pause: z
    .object({
      sinceMs: z.number(),
      untilMs: z.number(),
      pauses: z.number(),
      trialUntilMs: z.number().exactOptional(),
    })
    .exactOptional(),
});

export interface BreakerStoreOptions {
  readonly redis: Redis;
  readonly nowMs: () => number;
  /** Stands in while Redis is away, so that at least this process remembers who refuses it. */
  readonly fallback: BreakerStore;
  readonly onStoreFailed: (error: unknown) => void;
}

/** Breakers that all replicas share. */
export function createBreakerStore({
  redis,
  nowMs,
  fallback,
  onStoreFailed,
}: BreakerStoreOptions): BreakerStore {
  redis.defineCommand('compareAndSet', { numberOfKeys: 1, lua: script });
  return {
    async step(name, step) {
      const key = `breaker:${name}`;
      try {
        for (let attempts = 1; ; attempts += 1) {
          const text = (await redis.get(key)) ?? '';
          const breaker = read(text);
          const now = nowMs();
          const taken = step(breaker, now);
          const written =
            taken.breaker === breaker ||
            attempts === attemptsMax ||
            (await redis.compareAndSet(
              key,
              text,
              JSON.stringify(taken.breaker),
              breakerLifetimeMs(taken.breaker, now),
            )) === 1;
          if (written) {
            return taken.result;
          }
        }
      } catch (error) {
        onStoreFailed(error);
        return fallback.step(name, step);
      }
    },
  };
}

/** A state that an earlier release wrote in another form counts as absent. */
function read(text: string): Breaker {
  const parsed = text === '' ? undefined : breakerForm.safeParse(JSON.parse(text));
  return parsed?.success ? parsed.data : closedBreaker;
}
