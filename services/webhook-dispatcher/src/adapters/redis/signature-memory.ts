import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { RememberSignature } from '../mail-providers/mailgun.ts';

/**
 * Remembers signatures that do not include the event, in Redis, with the hash of the event that each came with first. The
 * provider can repeat a request; no one can use its signature for another one. If Redis loses the memory, a signature
 * is accepted again until it expires.
 *
 * @param keptMs how long, in milliseconds: at least as long as a signature is accepted
 */
export function createSignatureMemory(redis: Redis, keptMs: number): RememberSignature {
  return async (sourceId, signature, event) => {
    const key = `mailproof:outcome-signature:${sourceId}:${hashOf(signature.toLowerCase())}`;
    const eventHash = hashOf(event);
    const first = await redis.set(key, eventHash, 'PX', keptMs, 'NX', 'GET');
    return first === null || first === eventHash;
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
