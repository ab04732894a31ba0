import { readFileSync } from 'node:fs';
import type { AccountId, EmailAddress } from '@mailproof/shared-types';
import type { Redis, Result } from 'ioredis';
import { z } from 'zod';
import {
  type Breaker,
  type BreakerStore,
  breakerLifetimeMs,
  closedBreaker,
} from '../../domain/standing/breaker.ts';
import type { HarvestCounter } from '../../domain/standing/clearance.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    compareAndSet(key: string, expected: string, value: string, lifetimeMs: number): Result<0 | 1, Context>;
  }
}

const script = readFileSync(new URL('./compare-and-set.lua', import.meta.url), 'utf8');

/**
 * How often a step retries after concurrent changes. More would mean that hundreds of processes learn the same at once,
 * and one of them is enough to record it.
 */
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

interface BreakerStoreOptions {
  readonly redis: Redis;
  readonly nowMs: () => number;
  /** Used while Redis is unavailable, so that at least this process remembers which hosts refuse it. */
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

/** A state in the format of an earlier release counts as absent. */
function read(text: string): Breaker {
  const parsed = text === '' ? undefined : breakerForm.safeParse(JSON.parse(text));
  return parsed?.success ? parsed.data : closedBreaker;
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    askAbout(...keysAndArguments: readonly (string | number)[]): Result<0 | 1, Context>;
    noteMissing(key: string, address: string, lifetimeMs: number): Result<1, Context>;
  }
}

const scriptOf = (name: string) => readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8');

/** A day consists of the current part and the previous ones: between 20 and 24 hours. */
const partMs = 4 * 3_600_000;
const partsADay = 6;
/** A part expires once it is no longer in the day. */
const partLifetimeMs = (partsADay + 1) * partMs;

interface HarvestCounterOptions {
  readonly redis: Redis;
  /** Hashes accounts, domains and addresses with a key. */
  readonly hashOf: (text: string) => string;
  readonly nowMs: () => number;
}

/**
 * Counts in Redis HyperLogLogs, which contain no address, take at most 12 KiB each and have an error below one percent.
 * Every validation asks, so it is a single command.
 */
export function createHarvestCounter({ redis, hashOf, nowMs }: HarvestCounterOptions): HarvestCounter {
  redis.defineCommand('askAbout', { numberOfKeys: 2 * partsADay, lua: scriptOf('ask-about') });
  redis.defineCommand('noteMissing', { numberOfKeys: 1, lua: scriptOf('note-missing') });

  /** The keys of the parts of a day, the current one first. */
  function partsOf(accountId: AccountId, { domain }: EmailAddress) {
    const part = Math.floor(nowMs() / partMs);
    // In braces, so that a cluster stores the keys of one subject together.
    const subject = hashOf(`harvest\n${accountId}\n${domain.ascii}`);
    return (kind: 'asked' | 'missing') =>
      Array.from({ length: partsADay }, (_, back) => `harvest:{${subject}}:${kind}:${part - back}`);
  }

  const noted = ({ normalized }: EmailAddress) => hashOf(normalized.toLowerCase());

  return {
    async ask(accountId, email, { addressesMax, missingShareMax }) {
      const partsOfKind = partsOf(accountId, email);
      const isCounted = await redis.askAbout(
        ...partsOfKind('asked'),
        ...partsOfKind('missing'),
        noted(email),
        partLifetimeMs,
        addressesMax,
        missingShareMax,
      );
      return isCounted === 1;
    },
    async countMissing(accountId, email) {
      const [running = ''] = partsOf(accountId, email)('missing');
      await redis.noteMissing(running, noted(email), partLifetimeMs);
    },
  };
}
