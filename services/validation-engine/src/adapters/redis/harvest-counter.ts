import { readFileSync } from 'node:fs';
import type { AccountId, EmailAddress } from '@mailproof/shared-types';
import type { Redis, Result } from 'ioredis';
import type { HarvestCounter } from '../../domain/standing/harvest-guard.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    askAbout(...keysAndArguments: readonly (string | number)[]): Result<0 | 1, Context>;
    noteMissing(key: string, address: string, lifetimeMs: number): Result<1, Context>;
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
 * hundred. Every validation asks, so that it is one command.
 */
export function createHarvestCounter({ redis, hashOf, nowMs }: HarvestCounterOptions): HarvestCounter {
  redis.defineCommand('askAbout', { numberOfKeys: 2 * partsADay, lua: scriptOf('ask-about') });
  redis.defineCommand('noteMissing', { numberOfKeys: 1, lua: scriptOf('note-missing') });

  /** The keys of the parts of a day, the running one first. */
  function partsOf(accountId: AccountId, { domain }: EmailAddress) {
    const part = Math.floor(nowMs() / partMs);
    // In braces, so that a cluster keeps together what is counted together.
    const subject = hashOf(`harvest\n${accountId}\n${domain.ascii}`);
    return (kind: 'asked' | 'missing') =>
      Array.from({ length: partsADay }, (_, back) => `harvest:{${subject}}:${kind}:${part - back}`);
  }

  const noted = ({ normalised }: EmailAddress) => hashOf(normalised.toLowerCase());

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
