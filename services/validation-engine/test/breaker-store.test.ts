import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { createBreakerStore } from '../src/adapters/redis/standing.ts';
import {
  afterAnswer,
  afterBlock,
  askPermission,
  type BreakerStore,
  createLocalBreakerStore,
} from '../src/domain/standing/breaker.ts';

let connections: Redis[];
let replicas: readonly [BreakerStore, BreakerStore];
let nowMs: number;
let name: string;
let failures: unknown[];

function storeOn(redis: Redis): BreakerStore {
  return createBreakerStore({
    redis,
    nowMs: () => nowMs,
    fallback: createLocalBreakerStore(() => nowMs),
    onStoreFailed: error => void failures.push(error),
  });
}

beforeAll(async () => {
  const url = await testRedisUrl('validation-engine');
  const [one, other] = [openRedis(url, () => undefined), openRedis(url, () => undefined)];
  connections = [one, other];
  await Promise.all(connections.map(redis => untilConnected(redis, 30_000)));
  replicas = [storeOn(one), storeOn(other)];
});

afterAll(() => {
  for (const redis of connections) {
    redis.disconnect();
  }
});

beforeEach(() => {
  nowMs = Date.now();
  name = newId('request');
  failures = [];
});

function recordBlock(store: BreakerStore, subject: string): Promise<boolean> {
  return store.step(name, (breaker, now) => {
    const next = afterBlock(breaker, subject, false, now);
    return { breaker: next, result: next.pause !== undefined && breaker.pause === undefined };
  });
}

test('blocks that two replicas hear at once all count, and one of them learns that asking stops', async () => {
  const paused = await Promise.all(
    ['one', 'two', 'three'].map((subject, turn) => recordBlock(replicas[turn % 2] ?? replicas[0], subject)),
  );
  expect(paused.filter(Boolean)).toHaveLength(1);
  for (const store of replicas) {
    expect(await store.step(name, askPermission)).toMatchObject({ kind: 'paused' });
  }
});

test('one of all replicas makes the trial, and its answer lets all of them probe again', async () => {
  const [one, other] = replicas;
  await Promise.all(['one', 'two', 'three'].map(subject => recordBlock(one, subject)));
  nowMs += 15 * 60_000;
  const permissions = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => (replicas[turn % 2] ?? one).step(name, askPermission)),
  );
  expect(permissions.filter(({ kind }) => kind === 'ask')).toEqual([{ kind: 'ask', isTrial: true }]);
  await one.step(name, breaker => ({ breaker: afterAnswer(breaker, true), result: undefined }));
  expect(await other.step(name, askPermission)).toEqual({ kind: 'ask', isTrial: false });
  expect(failures).toEqual([]);
});

test('what is stored expires', async () => {
  await recordBlock(replicas[0], 'one');
  const lifetimeMs = await connections[0]?.pttl(`breaker:${name}`);
  expect(lifetimeMs).toBeGreaterThan(0);
  expect(lifetimeMs).toBeLessThanOrEqual(600_000);
});

test('without Redis a process remembers in memory who refuses it', async () => {
  const redis = openRedis('redis://127.0.0.1:1', () => undefined);
  const alone = storeOn(redis);
  for (const subject of ['one', 'two', 'three']) {
    await recordBlock(alone, subject);
  }
  expect(await alone.step(name, askPermission)).toMatchObject({ kind: 'paused' });
  expect(failures.length).toBeGreaterThan(0);
  redis.disconnect();
});
