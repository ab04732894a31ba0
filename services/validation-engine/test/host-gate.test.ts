import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { createHostGate } from '../src/adapters/redis/host-gate.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import type { HostGate } from '../src/domain/host-gate/host-gate.ts';
import { createLocalHostGate } from '../src/domain/host-gate/local-host-gate.ts';

const sessionsMax = 3;
let connections: Redis[];
let replicas: HostGate[];
let address: string;
let failures: unknown[];

beforeAll(async () => {
  const url = await testRedisUrl('validation-engine');
  connections = [openRedis(url, () => undefined), openRedis(url, () => undefined)];
  await Promise.all(connections.map(redis => untilConnected(redis, 30_000)));
  failures = [];
  replicas = connections.map(redis =>
    createHostGate({
      redis,
      sessionsMax,
      startsPerMinuteMax: 6_000,
      fallback: createLocalHostGate(1),
      onStoreFailed: error => failures.push(error),
    }),
  );
});

afterAll(() => {
  for (const redis of connections) {
    redis.disconnect();
  }
});

beforeEach(() => {
  address = newId('request');
});

function soon(timeoutMs = 20_000) {
  return deadlineAfter({ nowMs: () => performance.now() }, timeoutMs, new AbortController().signal);
}

function enter(turn: number, timeoutMs?: number) {
  return (replicas[turn % replicas.length] as HostGate).enter(address, soon(timeoutMs));
}

describe('two replicas', () => {
  test('together never hold more slots at a host than the cap, and every caller gets one', async () => {
    let open = 0;
    let peak = 0;
    await Promise.all(
      Array.from({ length: 40 }, async (_, turn) => {
        const slot = await enter(turn);
        open += 1;
        peak = Math.max(peak, open);
        // Afterward, every replica knows of all the slots that were free.
        await Promise.all(connections.map(redis => redis.ping()));
        open -= 1;
        await slot?.leave('fine');
      }),
    );
    expect(peak).toBeLessThanOrEqual(sessionsMax);
    expect(peak).toBeGreaterThan(1);
  });

  test('give a host that found itself crowded as few as it took', async () => {
    const first = await enter(0);
    const second = await enter(1);
    expect(await second?.leave('crowded')).toBe(1);
    expect(await enter(1, 50)).toBeUndefined();
    await first?.leave('fine');
    expect(await enter(1)).toBeDefined();
  });
});

describe('a slot', () => {
  const leaseMs = 4_000;
  const gateWith = (redis: Redis) =>
    createHostGate({
      redis,
      sessionsMax: 1,
      startsPerMinuteMax: 6_000,
      // Long enough for a busy machine to renew it in time.
      leaseMs,
      fallback: createLocalHostGate(1),
      onStoreFailed: () => undefined,
    });

  test('is kept for as long as its session lives', async () => {
    const slot = await gateWith(connections[0] as Redis).enter(address, soon());
    expect(await gateWith(connections[1] as Redis).enter(address, soon(1.5 * leaseMs))).toBeUndefined();
    await slot?.leave('fine');
  });

  test('comes free after its process was killed', async () => {
    const dying = openRedis(await testRedisUrl('validation-engine'), () => undefined);
    await untilConnected(dying, 30_000);
    await gateWith(dying).enter(address, soon());
    dying.disconnect();
    const slot = await gateWith(connections[1] as Redis).enter(address, soon());
    expect(slot).toBeDefined();
    await slot?.leave('fine');
  });
});

describe('without Redis', () => {
  test('a process enforces its own cap', async () => {
    const redis = openRedis('redis://127.0.0.1:1', () => undefined);
    const seen: unknown[] = [];
    const gate = createHostGate({
      redis,
      sessionsMax,
      startsPerMinuteMax: 6_000,
      fallback: createLocalHostGate(1),
      onStoreFailed: error => seen.push(error),
    });
    const slot = await gate.enter(address, soon());
    expect(await gate.enter(address, soon(20))).toBeUndefined();
    await slot?.leave('fine');
    expect(seen.length).toBeGreaterThan(0);
    redis.disconnect();
  });
});
