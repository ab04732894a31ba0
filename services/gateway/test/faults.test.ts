import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Answer, type Customer, openTestHouse, type TestHouse, validating } from './house.ts';
import { until } from './until.ts';

/** Each reply of its host takes half a second, which leaves time to break something in the middle of a validation. */
const slowAddress = 'ada@tarpit.example';
const quickAddress = 'ada@ordinary.example';

let test: TestHouse;
let customer: Customer;
let ledgerDatabase: pg.Pool;

beforeAll(async () => {
  test = await openTestHouse({
    inOneProcess: false,
    only: validating,
    env: {
      // A slow validation takes longer than the time that a house gives its services.
      gateway: { SHUTDOWN_DEADLINE_MS: '30000' },
      'credit-ledger': { HOLD_SWEEP_INTERVAL_MS: '100' },
      // The slow address must be slow each time.
      'validation-engine': { VALIDATION_MEMORY_DECIDED_SECONDS: '0', VALIDATION_MEMORY_DOMAIN_SECONDS: '0' },
    },
  });
  ledgerDatabase = new pg.Pool({
    connectionString: test.house.databaseUrls['ledger']?.migrationDatabaseUrl ?? '',
  });
});

afterAll(async () => {
  await ledgerDatabase.end();
  await test.stop();
});

beforeEach(async () => {
  customer = await test.open({ credits: 5, requestsPerSecond: 1_000 });
});

function service(name: string) {
  const found = test.house.services[name];
  if (!found) {
    throw new Error(`there is no service ${name}`);
  }
  return found;
}

async function holdsOfCustomer(): Promise<string[]> {
  const { rows } = await ledgerDatabase.query<{ state: string }>(
    'SELECT state FROM hold WHERE account_id = $1',
    [customer.accountId],
  );
  return rows.map(({ state }) => state);
}

/** Starts a slow validation, waits until its host is asked, and returns its eventual outcome. */
async function beginSlowValidation(init: RequestInit = {}): Promise<{ end: Promise<Answer | 'no answer'> }> {
  const end = customer
    .send('/validate-single-email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: slowAddress }),
      ...init,
    })
    .catch(() => 'no answer' as const);
  await until('a hold', holdsOfCustomer, states => states.includes('pending'));
  // The hold is in the database before the ledger has answered. Its answer and the question to the engine need a moment;
  // the host takes several seconds.
  await sleep(500);
  return { end };
}

describe('in the middle of a validation', () => {
  it('a killed engine costs nothing, and the next question is answered', async () => {
    const validation = await beginSlowValidation();
    await service('validation-engine').kill('SIGKILL');
    expect(await validation.end).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(await customer.credits()).toBe(5);
    await service('validation-engine').restart();
    expect(await customer.validate(quickAddress)).toMatchObject({ status: 200, body: { result: 'ok' } });
    expect(await customer.credits()).toBe(4);
  });

  it('a killed ledger does not withhold the verdict, which is charged once when the ledger is back', async () => {
    const validation = await beginSlowValidation();
    await service('credit-ledger').kill('SIGKILL');
    expect(await validation.end).toMatchObject({
      status: 200,
      body: { result: 'ok', credits_consumed: true },
    });
    expect(await customer.me()).toMatchObject({ status: 503 });
    await service('credit-ledger').restart();
    await until('the settlement', holdsOfCustomer, states => states.includes('settled'));
    expect(await customer.credits()).toBe(4);
  });

  it('a killed gateway leaves a hold that expires, so that nothing was paid for no answer', async () => {
    const validation = await beginSlowValidation();
    await service('gateway').kill('SIGKILL');
    expect(await validation.end).toBe('no answer');
    await service('gateway').restart();
    expect(await customer.credits()).toBe(4);
    await ledgerDatabase.query('UPDATE hold SET expires_at = now() WHERE account_id = $1', [
      customer.accountId,
    ]);
    await until('the expiry', holdsOfCustomer, states => states.includes('expired'));
    expect(await customer.credits()).toBe(5);
  });

  it('a client that disconnects gets its credit back', async () => {
    const client = new AbortController();
    const validation = await beginSlowValidation({ signal: client.signal });
    client.abort();
    expect(await validation.end).toBe('no answer');
    await until('the release', holdsOfCustomer, states => states.includes('released'));
    expect(await customer.credits()).toBe(5);
  });

  it('a service that is asked to stop finishes what it began', async () => {
    const validation = await beginSlowValidation();
    await service('gateway').kill('SIGTERM');
    expect(await validation.end).toMatchObject({ status: 200, body: { result: 'ok' } });
    await service('gateway').restart();
    expect(await customer.credits()).toBe(4);
  });
});

describe('Redis that lost everything', () => {
  it('stops neither validations nor grants', async () => {
    const redis = new Redis(test.house.redisUrl);
    await redis.flushdb();
    redis.disconnect();
    expect(await customer.validate(quickAddress)).toMatchObject({ status: 200, body: { result: 'ok' } });
    const other = await test.open({ credits: 3 });
    expect(await other.credits()).toBe(3);
  });
});
