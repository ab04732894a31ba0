import { readFileSync } from 'node:fs';
import type { AccountId, EmailAddress } from '@mailproof/shared-types';
import type { Redis, Result } from 'ioredis';
import type { HarvestCounter } from '../../domain/standing/harvest-guard.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countAsked(...keys: readonly string[]): Result<[asked: number, missing: number], Context>;
    noteAsked(key: string, address: string, lifetimeMs: number): Result<1, Context>;
  }
}

const scriptOf = (name: string) => readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8');

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
 * hundred. The check and the count are two steps: replicas that ask at the same moment may both pass. Every validation
 * takes both, so that each is one command.
 */
export function createHarvestCounter({ redis, hashOf, nowMs }: HarvestCounterOptions): HarvestCounter {
  redis.defineCommand('countAsked', { numberOfKeys: 2 * partsADay, lua: scriptOf('count-asked') });
  redis.defineCommand('noteAsked', { numberOfKeys: 1, lua: scriptOf('note-asked') });

  /** The keys of the parts of a day, the running one first. */
  function partsOf(accountId: AccountId, { domain }: EmailAddress) {
    const part = Math.floor(nowMs() / partMs);
    // In braces, so that a cluster keeps together what is counted together.
    const subject = hashOf(`harvest\n${accountId}\n${domain.ascii}`);
    return (kind: 'asked' | 'missing') =>
      Array.from({ length: partsADay }, (_, back) => `harvest:{${subject}}:${kind}:${part - back}`);
  }

  async function note([running = '']: readonly string[], { normalised }: EmailAddress): Promise<void> {
    await redis.noteAsked(running, hashOf(normalised.toLowerCase()), partLifetimeMs);
  }

  return {
    async ask(accountId, email, refuses) {
      const partsOfKind = partsOf(accountId, email);
      const parts = partsOfKind('asked');
      const [asked, missing] = await redis.countAsked(...parts, ...partsOfKind('missing'));
      const counts = { asked, missing };
      if (!refuses(counts)) {
        await note(parts, email);
      }
      return counts;
    },
    countMissing: (accountId, email) => note(partsOf(accountId, email)('missing'), email),
  };
}
