import { verdict } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { VerdictMemory } from '../../domain/answer-address.ts';
import type { ForgetPorts } from '../../domain/outcomes/forget-verdicts.ts';
import type { AddressHasher } from '../address-hash.ts';

const entry = z.object({ verdict, checkedAtMs: z.number() });
/** A week: as long as a setting lets any verdict be remembered. */
const audiencesLifetimeMs = 604_800_000;
/** Addresses that one command forgets at most. */
const addressesAtOnceMax = 200;

/**
 * Verdicts in Redis, under keyed hashes of their addresses: who can read Redis can neither list the addresses nor,
 * without the key, look one up. An entry that an earlier release wrote in another form counts as absent.
 */
export function createVerdictMemory(
  redis: Redis,
  hasher: AddressHasher,
): VerdictMemory & Pick<ForgetPorts, 'forget'> {
  return {
    async recall(email, audience) {
      const text = await redis.get(keyOf(hasher.ofAddress(email), audience));
      const parsed = text === null ? undefined : entry.safeParse(JSON.parse(text));
      return parsed?.success ? parsed.data : undefined;
    },
    async remember(email, remembered, lifetimeMs, audience) {
      const hash = hasher.ofAddress(email);
      const text = JSON.stringify(remembered);
      if (audience === undefined) {
        await redis.set(keyOf(hash), text, 'PX', lifetimeMs);
        return;
      }
      // `forget` needs the list of the accounts for which something is kept.
      await redis
        .multi()
        .set(keyOf(hash, audience), text, 'PX', lifetimeMs)
        .sadd(audiencesKeyOf(hash), audience)
        .pexpire(audiencesKeyOf(hash), audiencesLifetimeMs)
        .exec();
    },
    async forget(addresses) {
      for (let start = 0; start < addresses.length; start += addressesAtOnceMax) {
        const hashes = addresses
          .slice(start, start + addressesAtOnceMax)
          .map(address => Buffer.from(address, 'hex'));
        const audiences = await Promise.all(hashes.map(hash => redis.smembers(audiencesKeyOf(hash))));
        const keys = hashes.flatMap((hash, index) => [
          keyOf(hash),
          ...(audiences[index] ?? []).map(audience => keyOf(hash, audience)),
          audiencesKeyOf(hash),
        ]);
        await redis.unlink(...keys);
      }
    },
  };
}

/** What only one account may be told stands under a key of its own. */
function keyOf(addressHash: Buffer, audience?: string): string {
  const shared = `verdict:${addressHash.toString('base64url')}`;
  return audience === undefined ? shared : `${shared}:${audience}`;
}

function audiencesKeyOf(addressHash: Buffer): string {
  return `verdict-audiences:${addressHash.toString('base64url')}`;
}
