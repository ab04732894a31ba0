import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asRedisUser, testRedisUrl } from '@mailproof/dev-house';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { keyedHash } from '../src/adapters/keyed-hash.ts';
import { createHarvestCounter } from '../src/adapters/redis/standing.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';

const guessing = { addressesMax: 20, missingShareMax: 0.5 };
const hashOf = keyedHash(new TextEncoder().encode('a key of the test'));
const hourMs = 3_600_000;

let redis: Redis;
/** Can see every key, unlike the engine's own user. */
let admin: Redis;
let nowMs: number;

beforeAll(async () => {
  const adminUrl = await testRedisUrl();
  admin = openRedis(adminUrl, () => undefined);
  redis = openRedis(asRedisUser('validation-engine', adminUrl), () => undefined);
  await Promise.all([admin, redis].map(each => untilConnected(each, 30_000)));
});

afterAll(() => {
  redis.disconnect();
  admin.disconnect();
});

function counterOfSomebody() {
  nowMs = Date.now();
  const counter = createHarvestCounter({ redis, hashOf, nowMs: () => nowMs });
  const accountId = newId('account');
  const guess = (turn: number) => emailOf(`guess${turn}@company.example`);
  return {
    ask: (turn: number) => counter.ask(accountId, guess(turn), guessing),
    async askAbout(asked: number, missing: number) {
      for (let turn = 0; turn < asked; turn += 1) {
        await counter.ask(accountId, guess(turn), { ...guessing, addressesMax: 1_000 });
        if (turn < missing) await counter.countMissing(accountId, guess(turn));
      }
    },
  };
}

test.each([
  ['few addresses, all missing', { asked: 19, missing: 19 }, true],
  ['many, half of them missing', { asked: 20, missing: 10 }, true],
  ['many, most of them missing', { asked: 20, missing: 11 }, false],
  ['very many that exist', { asked: 200, missing: 10 }, true],
])('%s', async (_, { asked, missing }, isCounted) => {
  const { ask, askAbout } = counterOfSomebody();
  await askAbout(asked, missing);
  expect(await ask(1_000)).toBe(isCounted);
});

test('the same address counts once', async () => {
  const { ask, askAbout } = counterOfSomebody();
  await askAbout(19, 19);
  await ask(18);
  expect(await ask(1_000)).toBe(true);
});

test('of those who ask at once no more pass than may', async () => {
  const { ask, askAbout } = counterOfSomebody();
  await askAbout(15, 15);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, turn) => ask(1_000 + turn)));
  expect(answers.filter(Boolean)).toHaveLength(5);
});

test('what is refused does not count, and a day later nothing does', async () => {
  const { ask, askAbout } = counterOfSomebody();
  await askAbout(20, 11);
  for (let turn = 0; turn < 5; turn += 1) {
    // If these counted, fewer than half of the addresses would be missing.
    expect(await ask(1_000 + turn)).toBe(false);
  }
  nowMs += 19 * hourMs;
  expect(await ask(1_000)).toBe(false);
  nowMs += 5 * hourMs;
  expect(await ask(1_000)).toBe(true);
});

test('nothing is kept for ever, nor in clear', async () => {
  const { askAbout } = counterOfSomebody();
  await askAbout(2, 1);
  const keys = await admin.keys('harvest:*');
  expect(keys.length).toBeGreaterThan(1);
  expect(keys.join('\n')).not.toContain('company.example');
  for (const key of keys) {
    expect(await redis.pttl(key)).toBeGreaterThan(24 * hourMs);
  }
});
