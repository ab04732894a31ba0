import { type AccountId, verdict } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { VerdictMemory } from '../../domain/answer-address.ts';
import type { ForgetPorts } from '../../domain/outcomes/forget-verdicts.ts';
import type { AddressHasher } from '../address-hash.ts';

const entry = z.object({ verdict, checkedAtMs: z.number() });
/** Names of keys that one command deletes at most. */
const keysPerCommandMax = 500;

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
      const key = keyOf(hasher.ofAddress(email), audience);
      await redis.set(key, JSON.stringify(remembered), 'PX', lifetimeMs);
    },
    async forget(addresses, accounts) {
      const keys = addresses.flatMap(address =>
        [undefined, ...accounts].map(account => keyOf(Buffer.from(address, 'hex'), account)),
      );
      for (let start = 0; start < keys.length; start += keysPerCommandMax) {
        await redis.unlink(...keys.slice(start, start + keysPerCommandMax));
      }
    },
  };
}

/** What only one account may be told stands under a key of its own. */
function keyOf(addressHash: Buffer, audience: AccountId | undefined): string {
  const shared = `verdict:${addressHash.toString('base64url')}`;
  return audience === undefined ? shared : `${shared}:${audience}`;
}
