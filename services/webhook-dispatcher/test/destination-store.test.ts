import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asRedisUser, testRedisUrl } from '@mailproof/dev-house';
import { createSealer, type KeyRing } from '@mailproof/service-kit';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { createDestinationStore, sealedDestinationType } from '../src/adapters/redis/destination-store.ts';

const destination = {
  url: 'https://receiver.example/canary-path?token=canary-token',
  header: { name: 'Authorization', value: 'Bearer canary-header' },
  signingSecret: 'whsec_canary',
};
const ringOf = (kid: string): KeyRing => [{ kid, key: new Uint8Array(32).fill(kid.charCodeAt(0)) }];
let redis: Redis;
/** A client that sees every key, unlike the dispatcher's own user. */
let admin: Redis;
const notOpened: string[] = [];

beforeAll(async () => {
  const adminUrl = await testRedisUrl();
  admin = openRedis(adminUrl, () => undefined);
  redis = openRedis(asRedisUser('webhook-dispatcher', adminUrl), () => undefined);
  await Promise.all([admin, redis].map(each => untilConnected(each, 10_000)));
});

afterAll(() => {
  redis.disconnect();
  admin.disconnect();
});

const storeOf = (ring: KeyRing, keptSeconds = 100) =>
  createDestinationStore({
    redis,
    sealer: createSealer(ring, sealedDestinationType),
    keptSeconds,
    onNotOpened: (_exportId, { kind }) => notOpened.push(kind),
  });

describe('a destination', () => {
  it('is kept sealed, for a limited time that restarts when it is read', async () => {
    const exportId = newId('export');
    await storeOf(ringOf('a'), 100).keep(exportId, destination);
    const [key = ''] = await admin.keys(`*${exportId}*`);
    const kept = await redis.get(key);
    expect(kept).toMatch(/^ey/);
    expect(Buffer.from(kept ?? '', 'base64').toString()).not.toContain('canary');
    expect(await redis.ttl(key)).toBeLessThanOrEqual(100);
    expect(await storeOf(ringOf('a'), 500).find(exportId)).toEqual(destination);
    expect(await redis.ttl(key)).toBeGreaterThan(400);
  });

  it('is nowhere when it was forgotten', async () => {
    const exportId = newId('export');
    const store = storeOf(ringOf('a'));
    await store.keep(exportId, destination);
    await store.forget(exportId);
    expect(await store.find(exportId)).toBeUndefined();
    expect(await admin.keys(`*${exportId}*`)).toEqual([]);
  });

  it('is lost when the key ring can no longer decrypt it, or if it belonged to another export', async () => {
    const [exportId, other] = [newId('export'), newId('export')];
    await storeOf(ringOf('a')).keep(exportId, destination);
    expect(await storeOf(ringOf('b')).find(exportId)).toBeUndefined();
    const [key = ''] = await admin.keys(`*${exportId}*`);
    await redis.rename(key, key.replace(exportId, other));
    expect(await storeOf(ringOf('a')).find(other)).toBeUndefined();
    expect(notOpened).toEqual(['unknown_kid', 'not_authentic']);
  });
});
