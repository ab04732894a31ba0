import type { AccountId, EmailAddress } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { HarvestCounter } from '../../domain/standing/harvest-guard.ts';

/** A day is the running part of it and those before: between 20 and 24 hours. */
const partMs = 4 * 3_600_000;
const partsADay = 6;
/** A part is of no use once it has left the day. */
const partLifetimeMs = (partsADay + 1) * partMs;

export interface HarvestCounterOptions {
  readonly redis: Redis;
  /** Keyed hashes in place of accounts, domains and addresses. */
  readonly hashOf: (text: string) => string;
  readonly nowMs: () => number;
}

/**
 * Counts in HyperLogLogs of Redis, which hold no address, take at most 12 KiB each and err by less than one in a
 * hundred. The check and the count are two steps: replicas that ask at the same moment may both pass.
 */
export function createHarvestCounter({ redis, hashOf, nowMs }: HarvestCounterOptions): HarvestCounter {
  function keysOf(kind: 'asked' | 'missing', accountId: AccountId, { domain }: EmailAddress) {
    const part = Math.floor(nowMs() / partMs);
    // In braces, so that a cluster keeps together what is counted together.
    const subject = hashOf(`harvest\n${accountId}\n${domain.ascii}`);
    const parts = Array.from(
      { length: partsADay },
      (_, back) => `harvest:{${subject}}:${kind}:${part - back}`,
    );
    return parts as [string, ...string[]];
  }

  async function count(keys: [string, ...string[]], { normalised }: EmailAddress): Promise<void> {
    const [current] = keys;
    await redis
      .multi()
      .pfadd(current, hashOf(normalised.toLowerCase()))
      .pexpire(current, partLifetimeMs)
      .exec();
  }

  return {
    async ask(accountId, email, refuses) {
      const asked = keysOf('asked', accountId, email);
      const [askedCount, missingCount] = await Promise.all([
        redis.pfcount(...asked),
        redis.pfcount(...keysOf('missing', accountId, email)),
      ]);
      const counts = { asked: askedCount, missing: missingCount };
      if (!refuses(counts)) {
        await count(asked, email);
      }
      return counts;
    },
    countMissing: (accountId, email) => count(keysOf('missing', accountId, email), email),
  };
}
