import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPrivateRedis } from '@mailproof/dev-house';
import { Redis } from 'ioredis';
import { accounting, type Customer, openTestHouse, type TestHouse } from './house.ts';

const failuresPerMinuteMax = 30;
const connections = 10;
const pipelined = 5_000;

let privateRedis: Awaited<ReturnType<typeof startPrivateRedis>>;
let redis: Redis;
let test: TestHouse;
let customer: Customer;

beforeAll(async () => {
  privateRedis = await startPrivateRedis();
  test = await openTestHouse({
    inOneProcess: false,
    only: accounting,
    redisUrl: privateRedis.url,
    // This test measures memory.
    nodeOptions: [],
    env: { gateway: { AUTH_FAILURES_PER_MINUTE_MAX: String(failuresPerMinuteMax), LOG_LEVEL: 'info' } },
  });
  redis = new Redis(privateRedis.url);
  customer = await test.open({ credits: 7, requestsPerSecond: 1_000 });
});

afterAll(async () => {
  redis?.disconnect();
  await test?.stop();
  await privateRedis?.stop();
});

/** Writes thousands of requests on one connection and returns the statuses received until it is closed. */
async function flood(request: string): Promise<number[]> {
  const { hostname, port } = new URL(String(test.house.gatewayUrls[0]));
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', chunk => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(request.repeat(pipelined));
  await once(socket, 'close');
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

/** How often Redis was asked for a rate window: its script removes expired members with two commands. */
async function windowsAsked(): Promise<number> {
  const stats = await redis.info('commandstats');
  return Number(/cmdstat_zremrangebyscore:calls=(\d+)/.exec(stats)?.[1] ?? 0) / 2;
}

/** The gateway's log lines, except those about served requests. */
async function linesAboutOthers(): Promise<string[]> {
  const text = await readFile(String(test.house.services['gateway']?.logFile), 'utf8');
  // The dispatcher, whose events the gateway takes for notices, is not a part of this house.
  const expected = /"message":"request"|webhook-dispatcher is not responding/;
  return text.split('\n').filter(line => line !== '' && !expected.test(line));
}

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${test.house.services['gateway']?.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
}

describe.each([
  ['requests without a key', 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n', 401],
  ['requests to a path that does not exist', 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ['requests by a method that does not exist', 'DELETE /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n', 405],
])('a flood of %s', (_what, request, refused) => {
  it('is refused after a few, closed, and costs the other customers, Redis, memory and the log next to nothing', async () => {
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => customer.me()))) {
      expect(answer.status).toBe(200);
    }
    const before = {
      asked: await windowsAsked(),
      lines: (await linesAboutOthers()).length,
      bytes: await residentBytes(),
    };
    const startedAtMs = performance.now();
    let isOver = false;
    const floods = Promise.all(Array.from({ length: connections }, () => flood(request))).finally(() => {
      isOver = true;
    });
    let served = 0;
    do {
      const answer = await customer.me();
      expect([answer.status, answer.body['credits']]).toEqual([200, 7]);
      served += 1;
    } while (!isOver);
    const statuses = (await floods).flat();
    const seconds = Math.ceil((performance.now() - startedAtMs) / 1_000);
    // The address got its remaining failures, and each connection one more answer, which closed it.
    const failures = statuses.filter(status => status === refused).length;
    const last = statuses.filter(status => status === 429).length;
    expect(statuses).toHaveLength(failures + last);
    expect(failures).toBeLessThanOrEqual(failuresPerMinuteMax);
    expect(last).toBe(connections);
    // Redis was asked for each failure and each customer's request, and at most once for each connection.
    expect((await windowsAsked()) - before.asked).toBeLessThanOrEqual(failures + served + connections);
    // One line per second about all refused requests; served requests have a line each.
    const lines = (await linesAboutOthers()).slice(before.lines);
    expect({ lines, isFew: lines.length <= seconds + 1 }).toEqual({ lines, isFew: true });
    expect(await residentBytes()).toBeLessThan(1.5 * before.bytes);
  });
});
