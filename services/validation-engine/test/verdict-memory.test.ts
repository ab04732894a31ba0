import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asRedisUser, testRedisUrl } from '@mailproof/dev-house';
import { newId } from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import { createAddressHasher } from '../src/adapters/keyed-hash.ts';
import { createVerdictMemory } from '../src/adapters/redis/memories.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';
import type { RememberedVerdict } from '../src/domain/validation/answer-address.ts';

const hasher = createAddressHasher(new TextEncoder().encode('a key of the test'));
const [ada, grace] = [emailOf('ada@a.example'), emailOf('grace@a.example')];
const [bob, eve] = [newId('account'), newId('account')];

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

function remembered(checkedAtMs: number): RememberedVerdict {
  const details = {
    reason: 'catch_all',
    explanation: 'Because.',
    normalised_email: '',
    role: false,
    disposable: false,
    age_seconds: 0,
    time_ms: 1,
    sessions: [],
  } as const;
  return {
    verdict: {
      result: 'catch_all',
      reason: 'catch_all',
      details: { ...details, sessions: [] },
      elapsedMs: 1,
    },
    checkedAtMs,
  };
}

test('the cache of one account serves no other, and is deleted with the address', async () => {
  const memory = createVerdictMemory(redis, hasher);
  await memory.remember(ada, remembered(1), 60_000);
  await memory.remember(ada, { ...remembered(2), restsOnOwnPeople: true }, 60_000, bob);
  await memory.remember(ada, remembered(3), 30_000, eve);
  await memory.remember(grace, remembered(4), 60_000, bob);
  expect(await memory.recall(ada)).toMatchObject({ checkedAtMs: 1 });
  expect(await memory.recall(ada, bob)).toMatchObject({ checkedAtMs: 2, restsOnOwnPeople: true });
  expect(await memory.recall(ada, eve)).toMatchObject({ checkedAtMs: 3 });
  expect(await memory.recall(ada, newId('account'))).toBeUndefined();
  expect(await memory.recall(grace)).toBeUndefined();

  await memory.forget([hasher.ofAddress(ada).toString('hex')]);
  for (const audience of [undefined, bob, eve]) {
    expect(await memory.recall(ada, audience)).toBeUndefined();
  }
  expect(await memory.recall(grace, bob)).toMatchObject({ checkedAtMs: 4 });
  await memory.forget([]);
});

test('no entry outlives its time or contains the address', async () => {
  const memory = createVerdictMemory(redis, hasher);
  await memory.remember(ada, remembered(1), 60_000, bob);
  await memory.remember(ada, remembered(1), 30_000, eve);
  const keys = await admin.keys('*');
  expect(keys.join()).not.toMatch(/ada|example/);
  for (const key of keys) {
    expect(await redis.pttl(key)).toBeGreaterThan(0);
  }
  // The list of accounts lasts as long as the longest-lived entry that it refers to.
  const [audiences = ''] = keys.filter(
    key => key.startsWith('verdict-audiences:') && key.includes(hasher.ofAddress(ada).toString('base64url')),
  );
  expect(await redis.pttl(audiences)).toBeGreaterThan(60_000);
});
