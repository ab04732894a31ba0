import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '../src/deadline.ts';
import type { House } from '../src/house.ts';
import { isAlive } from '../src/processes.ts';
import { startTestHouse } from '../src/test-house.ts';

const only = ['gateway', 'credit-ledger'] as const;

describe('a house in one process', () => {
  let house: House;
  const lost: string[] = [];

  beforeAll(async () => {
    house = await startTestHouse({
      only,
      replicas: { gateway: 2 },
      env: { gateway: { LOG_LEVEL: 'info' } },
      onLost: sentence => lost.push(sentence),
    });
  });
  afterAll(() => house?.stop());

  test('runs every service and every replica, at its own address', async () => {
    const services = Object.values(house.services);
    expect(services.map(({ name }) => name)).toEqual(['gateway', 'gateway-2', 'credit-ledger']);
    expect(new Set(services.map(({ pid }) => pid)).size).toBe(1);
    for (const { internalUrl } of services) {
      expect((await fetch(new URL('/readyz', internalUrl))).status).toBe(200);
    }
    const [gateway, , ledger] = services;
    const statuses = [gateway, ledger].map(async each => (await fetch(`${each?.url}/openapi.json`)).status);
    expect(await Promise.all(statuses)).toEqual([200, 404]);
  });

  test('gives each service its own settings, and names the service in each line of the log', async () => {
    const text = await readFile(house.services['gateway']?.logFile ?? '', 'utf8');
    const lines = text.split('\n').filter(line => line.includes('"message":"listening"'));
    // The other service logs warnings only.
    expect(lines.map(line => JSON.parse(line).service)).toEqual(['gateway', 'gateway']);
  });

  test('refuses to kill or restart a single service, and says what to do', async () => {
    for (const act of ['kill', 'restart'] as const) {
      await expect(house.services['credit-ledger']?.[act]('SIGKILL' as never)).rejects.toThrow(
        "The credit-ledger shares a process. To kill or restart it, open the house with `killable: ['credit-ledger']`.",
      );
    }
  });

  test('reports when the process exits unexpectedly', async () => {
    const pid = house.services['gateway']?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await waitFor('The loss is reported', () => lost.length > 0, { deadlineMs: 60_000 });
    expect(lost).toEqual(['The process of all services exited (SIGKILL).']);
  });
});

test('a house in one process leaves no process behind', async () => {
  const house = await startTestHouse({ only });
  const pid = house.services['gateway']?.pid ?? 0;
  expect(isAlive(pid)).toBe(true);
  await house.stop();
  expect(isAlive(pid)).toBe(false);
});

test('a house in one process names the service that does not start', async () => {
  const attempt = startTestHouse({ only, env: { 'credit-ledger': { LOG_LEVEL: 'loudest' } } });
  await expect(attempt).rejects.toThrow(/credit-ledger: [\s\S]*LOG_LEVEL/);
});

test('a killable service has its own process, and the others share theirs', async () => {
  const killable = ['credit-ledger'] as const;
  const house = await startTestHouse({ only, killable, replicas: { gateway: 2 } });
  try {
    const pidOf = (name: string) => house.services[name]?.pid;
    const shared = pidOf('gateway');
    const killed = pidOf('credit-ledger');
    expect(pidOf('gateway-2')).toBe(shared);
    expect(killed).not.toBe(shared);
    await house.services['credit-ledger']?.kill('SIGKILL');
    expect([pidOf('credit-ledger'), pidOf('gateway')]).toEqual([undefined, shared]);
    await house.services['credit-ledger']?.restart();
    expect(pidOf('credit-ledger')).not.toBe(killed);
  } finally {
    await house.stop();
  }
});

test('services with telemetry have their own processes', async () => {
  const house = await startTestHouse({ only, env: { gateway: { OTEL_METRICS_EXPORTER: 'none' } } });
  try {
    const services = Object.values(house.services);
    expect(new Set(services.map(({ pid }) => pid)).size).toBe(2);
    expect(services.map(({ logFile }) => basename(logFile)).toSorted()).toEqual([
      'gateway.log',
      'services.log',
    ]);
  } finally {
    await house.stop();
  }
});
