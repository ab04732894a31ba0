import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asRedisUser, testRedisUrl } from '@mailproof/dev-house';
import { Redis } from 'ioredis';
import { keyedHash } from '../src/adapters/keyed-hash.ts';
import { createComparisonMemory } from '../src/adapters/redis/memories.ts';
import type { RememberedComparison } from '../src/domain/smtp/comparison.ts';
import { readReply } from '../src/domain/smtp/reply.ts';

const hashOf = keyedHash(new TextEncoder().encode('a key of the test'));

let redis: Redis;
/** Can see every key, unlike the engine's own user. */
let admin: Redis;

beforeAll(async () => {
  const adminUrl = await testRedisUrl();
  admin = new Redis(adminUrl);
  redis = new Redis(asRedisUser('validation-engine', adminUrl));
});

afterAll(() => {
  redis.disconnect();
  admin.disconnect();
});

test.each(['company.example', '[192.0.2.1]'])(
  'a comparison comes back whole until it is forgotten, and Redis never sees that it was about %s',
  async domain => {
    const reply = readReply(550, [`5.1.1 <bcdf@${domain}>: no such user at ${domain}`]);
    const comparison: RememberedComparison = {
      madeUp: [
        { shape: 'alike', localPart: 'bcdf', finding: 'missing', first: true, reply },
        { shape: 'random', localPart: 'bcd.fgh234', finding: 'timeout', first: true },
      ],
      checkedAtMs: 1,
    };
    const memory = createComparisonMemory(redis, hashOf);
    await memory.remember(domain, 'mx.provider.example', comparison, 60_000);
    const keys = await admin.keys('*');
    const kept = await redis.mget(keys);
    expect(keys.length).toBeGreaterThan(0);
    expect([...keys, ...kept].join('\n')).not.toContain(domain);
    expect(await memory.recall(domain, 'mx.provider.example')).toEqual(comparison);
    expect(await memory.recall('other.example', 'mx.provider.example')).toBeUndefined();
    await memory.forget(domain, 'mx.other.example');
    expect(await memory.recall(domain, 'mx.provider.example')).toEqual(comparison);
    await memory.forget(domain, 'mx.provider.example');
    expect(await memory.recall(domain, 'mx.provider.example')).toBeUndefined();
  },
);

test('a host that shouts the domain gives it away no more', async () => {
  const memory = createComparisonMemory(redis, hashOf);
  const reply = readReply(550, ['5.1.1 <BCDF@LOUD.EXAMPLE> unknown']);
  const madeUp = [{ shape: 'alike', localPart: 'bcdf', finding: 'missing', first: true, reply }] as const;
  await memory.remember('loud.example', 'mx.provider.example', { madeUp, checkedAtMs: 1 }, 60_000);
  const kept = await redis.mget(await admin.keys('*'));
  expect(kept.join('\n')).not.toMatch(/loud\.example/i);
});
