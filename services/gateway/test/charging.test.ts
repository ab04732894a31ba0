import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHealth, createLogger, createPublicServiceApps, route } from '@mailproof/service-kit';
import { type AccountId, newId, validateSingleEmail } from '@mailproof/shared-types';
import type { Express } from 'express';
import supertest from 'supertest';
import { createAccountStore } from '../src/adapters/postgres/account-store.ts';
import { createIdempotencyStore } from '../src/adapters/postgres/idempotency-store.ts';
import type { Account } from '../src/domain/accounts/account.ts';
import type { IdempotencyStore } from '../src/domain/charging/idempotency.ts';
import { chargingHandler } from '../src/http/charging.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

let database: OpenTestDatabase;
let records: IdempotencyStore;
let accountId: AccountId;
let handled: number;

beforeAll(async () => {
  database = await openTestDatabase();
  records = createIdempotencyStore(database.pool);
});

afterAll(() => database?.close());

beforeEach(async () => {
  handled = 0;
  const account = { name: 'Keys', plan: 'custom', credits: 0 } as const;
  ({ accountId } = await createAccountStore(database.prisma).create(account));
});

function appWith(store: IdempotencyStore): Express {
  const handler = chargingHandler(
    validateSingleEmail,
    {
      records: store,
      credits: {
        available: async () => 7,
        reserve: () => Promise.reject(new Error('nothing is to be paid')),
        release: () => Promise.reject(new Error('nothing is held')),
      },
      collector: { afterAnswer: () => undefined, close: async () => undefined },
      attemptMsMax: 60_000,
    },
    async ({ body }) => {
      handled += 1;
      const result = {
        email: body.email.input,
        valid: false,
        result: 'unknown',
        credits_consumed: false,
      } as const;
      return { result, creditsRemaining: 7 };
    },
  );
  return createPublicServiceApps({
    logger: createLogger({ service: 'test', level: 'silent' }),
    health: createHealth({}),
    problemTypeBase: 'urn:',
    publicBaseUrl: 'http://127.0.0.1',
    routes: [route(validateSingleEmail, async () => ({ accountId }) as Account, handler)],
  }).publicApp;
}

/** A store whose answer to one call is lost, after or before the call was carried out. */
function losing(method: 'begin' | 'keep', isCarriedOut: boolean): IdempotencyStore {
  let isLost = false;
  async function lose<Result>(call: () => Promise<Result>): Promise<Result> {
    if (isLost) return call();
    isLost = true;
    if (isCarriedOut) await call();
    throw new Error('Connection terminated unexpectedly');
  }
  return {
    ...records,
    ...(method === 'begin'
      ? { begin: attempt => lose(() => records.begin(attempt)) }
      : { keep: (attempt, answer) => lose(() => records.keep(attempt, answer)) }),
  };
}

describe('a request with a key, of which the database lost its answer', () => {
  it.each([
    ['begins', 'begin', true, 1],
    ['is kept, and was not', 'keep', false, 2],
    ['is kept, and was', 'keep', true, 1],
  ] as const)('when it %s, is answered when it comes again', async (_, method, isCarriedOut, times) => {
    const app = appWith(losing(method, isCarriedOut));
    const key = newId('request');
    const send = () =>
      supertest(app)
        .post('/api/v1/validate-single-email')
        .set('idempotency-key', key)
        .send({ email: 'ada@company.example' });
    expect((await send()).status).toBe(503);
    const again = await send();
    expect(again.body).toMatchObject({ email: 'ada@company.example', result: 'unknown' });
    expect(again.status).toBe(200);
    expect(handled).toBe(times);
  });
});
