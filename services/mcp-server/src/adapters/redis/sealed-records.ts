import { createHash } from 'node:crypto';
import type { Sealer } from '@mailproof/service-kit';
import type { Redis } from 'ioredis';

/**
 * Short-lived records: pending sign-ins, authorization codes, pushed requests. They are stored by hash, sealed, and
 * deleted at expiry.
 */
export interface SealedRecords {
  find(id: string): Promise<{ payload: Record<string, unknown>; isConsumed: boolean } | undefined>;
  save(id: string, payload: object, seconds: number): Promise<void>;
  /** Uses a record up. Returns true only to the first of any number of simultaneous calls. */
  consume(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** Atomic, so that only one use is the first; an expired record cannot be used up. */
const consumeScript = `
  local leftMs = redis.call('PTTL', KEYS[1])
  if leftMs <= 0 or not redis.call('SET', KEYS[2], '1', 'NX', 'PX', leftMs) then return 0 end
  return 1`;

export function createSealedRecords(redis: Redis, sealer: Sealer, kind: string): SealedRecords {
  const keyOf = (sha256: string) => `oauth:${kind}:{${sha256}}`;
  const consumedKeyOf = (sha256: string) => `${keyOf(sha256)}:consumed`;
  return {
    async find(id) {
      const sha256 = hashOf(id);
      const [sealed, consumed] = await redis.mget(keyOf(sha256), consumedKeyOf(sha256));
      if (!sealed) {
        return undefined;
      }
      const payload = JSON.parse(await sealer.open(sealed, `${kind} ${sha256}`));
      return { payload, isConsumed: consumed === '1' };
    },
    async save(id, payload, seconds) {
      const sha256 = hashOf(id);
      const sealed = await sealer.seal(JSON.stringify(payload), `${kind} ${sha256}`);
      await redis.set(keyOf(sha256), sealed, 'EX', Math.max(1, Math.ceil(seconds)));
    },
    async consume(id) {
      const sha256 = hashOf(id);
      return (await redis.eval(consumeScript, 2, keyOf(sha256), consumedKeyOf(sha256))) === 1;
    },
    async remove(id) {
      await redis.del(keyOf(hashOf(id)));
    },
  };
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
