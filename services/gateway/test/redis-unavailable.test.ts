import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KillableServer, startPrivateRedis } from '@mailproof/dev-house';
import { problemDocument } from '@mailproof/shared-types';
import {
  type Answer,
  type Customer,
  openTestHouse,
  type Person,
  type TestHouse,
  validating,
} from './house.ts';
import { until } from './until.ts';

/*
 * A request that cannot be counted is not admitted (ADR 0008, ADR 0023): every operation fails closed while Redis is
 * down, and works again when it is back, without any restart.
 */

let redis: KillableServer;
let test: TestHouse;
let customer: Customer;
let person: Person;

beforeAll(async () => {
  redis = await startPrivateRedis();
  test = await openTestHouse({
    // The test reads the log of each service.
    inOneProcess: false,
    only: validating,
    redisUrl: redis.url,
    replicas: { gateway: 2 },
  });
  customer = await test.open({ credits: 5, requestsPerSecond: 1_000 });
  person = await (await test.owner()).signIn();
});

afterAll(async () => {
  await test?.stop();
  await redis?.stop();
});

const calls: Readonly<Record<string, () => Promise<Answer>>> = {
  'a validation': () => customer.validate('ada@ordinary.example'),
  'a validation with an idempotency key': () =>
    customer.post('/validate-single-email', '{"email":"ada@ordinary.example"}', { 'idempotency-key': 'k' }),
  'GET /me': () => customer.me(),
  'a session’s request': () => person.get('/session'),
  'a wrong key': () => customer.send('/me', { headers: { 'x-api-key': 'guess' } }),
  'a request without a key': () => customer.post('/do-not-probe-requests', '{"name":"ordinary.example"}'),
};

const statusWhileThere: Readonly<Record<string, number>> = { 'a wrong key': 401 };

async function expectRefused(call: () => Promise<Answer>): Promise<void> {
  const { status, headers, body } = await call();
  expect([status, problemDocument.parse(body).code]).toEqual([503, 'service_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

async function untilAnswered(name: string): Promise<void> {
  const call = calls[name] as () => Promise<Answer>;
  const expected = statusWhileThere[name] ?? 200;
  // Checks both gateways, which reconnect to Redis automatically.
  const statuses = async () => [(await call()).status, (await call()).status];
  await until(name, statuses, seen => seen.every(status => status === expected), 30_000);
}

/** One line a minute, and the test takes less than two minutes. */
const linesOfAKindMax = 2;

interface FaultLine {
  readonly message: string;
  readonly jobType?: string;
  readonly err: { readonly code?: string; readonly message: string };
}

/** The log lines of a service about unavailable stores. */
function faultLines(name: string): FaultLine[] {
  return readFileSync(test.house.services[name]?.logFile ?? '', 'utf8')
    .split('\n')
    .filter(line => /"message":"(a store failed|worker connection failed)"/.test(line))
    .map(line => JSON.parse(line) as FaultLine);
}

/** Waits for a log line, since an outage between two connection attempts goes unnoticed. */
const untilMissed = (name: string) =>
  until(
    'a line about the store',
    async () => faultLines(name).length,
    found => found > 0,
    30_000,
  );

/** How often the log reports its most frequent fault. */
function mostRepeatedLine(name: string): number {
  const kinds = Map.groupBy(faultLines(name), ({ message, jobType, err }) =>
    [message, jobType, err.code ?? err.message].join(),
  );
  return Math.max(...[...kinds.values()].map(({ length }) => length));
}

describe('while Redis is away', () => {
  it('everything that has to be counted is refused with 503, costs nothing, and works again afterward', async () => {
    for (const name of Object.keys(calls)) {
      await untilAnswered(name);
    }
    const before = await customer.credits();
    await redis.kill();
    for (const call of Object.values(calls)) {
      await expectRefused(call);
      await expectRefused(call);
    }
    for (const url of test.house.gatewayUrls) {
      expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    }
    for (const name of ['gateway', 'gateway-2']) {
      const probed = test.house.services[name]?.internalUrl;
      expect((await fetch(`${probed}/livez`)).status).toBe(200);
      // A health report is cached for a second, so that one from before the outage can be seen.
      await until(
        `${name} to be not ready`,
        async () => (await fetch(`${probed}/readyz`)).status,
        status => status === 503,
        5_000,
      );
    }
    await untilMissed('validation-engine');
    await redis.restart();
    await untilAnswered('GET /me');
    expect(await customer.credits()).toBe(before);
    for (const name of Object.keys(calls)) {
      await untilAnswered(name);
    }
    // Grants go through a queue, which has also recovered.
    expect(await (await test.open({ credits: 3 })).credits()).toBe(3);
    expect(mostRepeatedLine('validation-engine')).toBeLessThanOrEqual(linesOfAKindMax);
  });
});
