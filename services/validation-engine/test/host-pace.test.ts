import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { createHostGate } from '../src/adapters/redis/host-gate.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import type { HostGate, HostSlot } from '../src/domain/host-gate/host-gate.ts';
import { minuteMs, recoveryMs } from '../src/domain/host-gate/host-pace.ts';

const startsPerMinuteMax = 6;
/** Less than the spacing of a slowed host, so that a probe that would have to wait gives up. */
const patienceMs = 2_000;
let connections: [Redis, Redis];
let replicas: readonly [HostGate, HostGate];
let address: string;
let failures: unknown[];

beforeAll(async () => {
  const url = await testRedisUrl('validation-engine');
  connections = [openRedis(url, () => undefined), openRedis(url, () => undefined)];
  await Promise.all(connections.map(redis => untilConnected(redis, 30_000)));
  failures = [];
  const gateOn = (redis: Redis) =>
    createHostGate({
      redis,
      sessionsMax: 100,
      startsPerMinuteMax,
      fallback: { enter: () => Promise.reject(new Error('Redis is there.')) },
      onStoreFailed: error => failures.push(error),
    });
  replicas = [gateOn(connections[0]), gateOn(connections[1])];
});

afterAll(() => {
  expect(failures).toEqual([]);
  for (const redis of connections) {
    redis.disconnect();
  }
});

beforeEach(() => {
  address = newId('request');
});

/** Requests `count` sessions at once, alternating between the replicas. */
async function begin(count: number): Promise<HostSlot[]> {
  const slots = await Promise.all(
    Array.from({ length: count }, (_, turn) =>
      (turn % 2 === 0 ? replicas[0] : replicas[1]).enter(
        address,
        deadlineAfter({ nowMs: () => performance.now() }, patienceMs, new AbortController().signal),
      ),
    ),
  );
  return slots.filter(slot => slot !== undefined);
}

/** Moves the host's state in Redis back in time. */
async function pass(ms: number): Promise<void> {
  const [redis] = connections;
  const starts: unknown[] = await redis.zrange(`host-starts:${address}`, '0', '-1');
  await Promise.all(starts.map(start => redis.zincrby(`host-starts:${address}`, -ms, String(start))));
  if ((await redis.exists(`host-slowed:${address}`)) === 1) {
    await redis.hincrby(`host-slowed:${address}`, 'at', -ms);
  }
}

async function beginAfter(ms: number, count: number): Promise<HostSlot[]> {
  await pass(ms);
  return begin(count);
}

async function levelOf(): Promise<number> {
  return Number(await connections[0].hget(`host-slowed:${address}`, 'level'));
}

describe('two replicas', () => {
  test('together begin no more sessions in any minute than the setting allows', async () => {
    expect(await begin(20)).toHaveLength(startsPerMinuteMax);
    await pass(minuteMs / 2);
    expect(await begin(5)).toHaveLength(0);
    await pass(minuteMs / 2);
    expect(await begin(20)).toHaveLength(startsPerMinuteMax);
  });

  test('count the starts and not the slots: leaving early makes no room', async () => {
    const slots = await begin(startsPerMinuteMax);
    await Promise.all(slots.map(slot => slot.leave('fine')));
    expect(await begin(4)).toHaveLength(0);
  });

  test('leave other hosts their own pace', async () => {
    await begin(startsPerMinuteMax);
    address = newId('request');
    expect(await begin(3)).toHaveLength(3);
  });
});

describe('a host that throttles', () => {
  test('gets sessions at half the pace, one by one, and at the whole one after a while', async () => {
    const [first] = await begin(1);
    await first?.leave('throttled');
    expect(await begin(4)).toHaveLength(0);
    // Half of six per minute is one in twenty seconds.
    await pass(minuteMs / 3);
    expect(await begin(4)).toHaveLength(1);
    expect(await begin(4)).toHaveLength(0);
    await pass(recoveryMs - minuteMs / 3);
    expect(await begin(20)).toHaveLength(startsPerMinuteMax);
  });

  test('is slowed once for sessions that ran together, and again for one that came later, to one a minute', async () => {
    const together = await begin(3);
    await Promise.all(together.map(slot => slot.leave('throttled')));
    expect(await levelOf()).toBe(1);
    for (const level of [2, 3, 3]) {
      await pass(minuteMs);
      const [later] = await begin(1);
      await later?.leave('throttled');
      expect(await levelOf()).toBe(level);
    }
    await pass(minuteMs - 5_000);
    expect(await begin(1)).toHaveLength(0);
    await pass(5_000);
    expect(await begin(3)).toHaveLength(1);
  });

  test('is told apart from one that has no room: only who is alone there is slowed', async () => {
    const [first] = await begin(1);
    const [second] = await begin(1);
    await second?.leave('crowded');
    expect(await levelOf()).toBe(0);
    await first?.leave('crowded');
    expect(await levelOf()).toBe(1);
    // The other session had left before this one was turned away, which shows nothing.
    const [third] = await beginAfter(minuteMs, 1);
    const [fourth] = await beginAfter(minuteMs, 1);
    await third?.leave('fine');
    await fourth?.leave('crowded');
    expect(await levelOf()).toBe(1);
  });
});
