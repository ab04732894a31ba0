import { createHmac } from 'node:crypto';
import { type EmailAddress, verdict } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { VerdictMemory } from '../../domain/answer-address.ts';

const entry = z.object({ verdict, checkedAtMs: z.number() });

/**
 * Verdicts in Redis, under keyed hashes of their addresses: who can read Redis can neither list the addresses nor,
 * without the key, look one up. An entry that an earlier release wrote in another form counts as absent.
 */
export function createVerdictMemory(redis: Redis, hashKey: Uint8Array): VerdictMemory {
  function keyOf({ normalised }: EmailAddress): string {
    return `verdict:${createHmac('sha256', hashKey).update(normalised).digest('base64url')}`;
  }
  return {
    async recall(email) {
      const text = await redis.get(keyOf(email));
      const parsed = text === null ? undefined : entry.safeParse(JSON.parse(text));
      return parsed?.success ? parsed.data : undefined;
    },
    async remember(email, remembered, lifetimeMs) {
      await redis.set(keyOf(email), JSON.stringify(remembered), 'PX', lifetimeMs);
    },
  };
}
