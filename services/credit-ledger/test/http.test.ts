import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  type TestDatabase,
  type TestServiceKeys,
  testServiceKeys,
} from '@mailproof/dev-house';
import { createTokenSigner, type PrivateServiceKey, type Service } from '@mailproof/service-kit';
import { type AccountId, newId, problemDocument, type ServiceName } from '@mailproof/shared-types';
import request from 'supertest';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';

let database: TestDatabase;
let keys: TestServiceKeys;
let ledger: Service;

beforeAll(async () => {
  database = await createTestDatabase('credit-ledger');
  keys = await testServiceKeys();
  ledger = await compose(
    loadConfig({
      DATABASE_URL: database.databaseUrl,
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...keys.settingsOf('credit-ledger'),
    }),
  );
  await ledger.start?.();
});

afterAll(async () => {
  await ledger.stop();
  await database.drop();
});

async function tokenOf(caller: ServiceName, audience: ServiceName = 'credit-ledger'): Promise<string> {
  const sign = await createTokenSigner(keys.signingKeys[caller] as PrivateServiceKey);
  return `Bearer ${await sign(audience)}`;
}

async function post(path: string, body?: object) {
  const call = request(ledger.app)
    .post(`/internal/v1${path}`)
    .set('authorization', await tokenOf('gateway'));
  return body ? call.send(body) : call;
}

async function accountWith(amount: number): Promise<AccountId> {
  const accountId = newId('account');
  await post('/grants', { grantId: newId('creditGrant'), accountId, amount, cause: 'test-grant' });
  return accountId;
}

function holdBody(accountId: AccountId, change: object = {}) {
  return { accountId, runId: newId('request'), amount: 1, cause: 'test-run', expiresInMs: 60_000, ...change };
}

function expectProblem(
  response: { status: number; type: string; body: unknown },
  status: number,
  code: string,
) {
  expect({ status: response.status, type: response.type }).toEqual({
    status,
    type: 'application/problem+json',
  });
  expect(problemDocument.parse(response.body)).toMatchObject({ status, code });
}

describe('get-balance', () => {
  it('answers the credits of the account', async () => {
    const accountId = await accountWith(7);
    const response = await request(ledger.app)
      .get(`/internal/v1/accounts/${accountId}/balance`)
      .set('authorization', await tokenOf('gateway'));
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: { accountId, available: 7, held: 0 },
    });
  });

  it('refuses an id of another kind', async () => {
    const response = await request(ledger.app)
      .get(`/internal/v1/accounts/${newId('hold')}/balance`)
      .set('authorization', await tokenOf('gateway'));
    expectProblem(response, 400, 'invalid_request');
  });
});

describe('grant-credits', () => {
  it('answers the balance, and the same again when asked again', async () => {
    const body = {
      grantId: newId('creditGrant'),
      accountId: newId('account'),
      amount: 5,
      cause: 'test-grant',
    };
    const first = await post('/grants', body);
    const second = await post('/grants', body);
    expect(first.body).toEqual({ accountId: body.accountId, available: 5, held: 0 });
    expect(second.body).toEqual(first.body);
  });

  it('refuses an amount that is not a positive whole number', async () => {
    for (const amount of [0, -1, 1.5, '5', 1e12]) {
      const body = {
        grantId: newId('creditGrant'),
        accountId: newId('account'),
        amount,
        cause: 'test-grant',
      };
      expectProblem(await post('/grants', body), 400, 'invalid_request');
    }
  });
});

describe('create-hold', () => {
  it('answers the hold with what is left to spend', async () => {
    const response = await post('/holds', holdBody(await accountWith(3)));
    expect(response.body).toMatchObject({ amount: 1, state: 'pending', settled: 0, available: 2 });
  });

  it('answers 402 with the credits needed and available', async () => {
    const response = await post('/holds', holdBody(await accountWith(3), { amount: 4 }));
    expectProblem(response, 402, 'credits_exhausted');
    expect(response.body).toMatchObject({ required: 4, available: 3 });
  });

  it('answers 422 when a run comes back with another amount', async () => {
    const body = holdBody(await accountWith(3));
    await post('/holds', body);
    expectProblem(await post('/holds', { ...body, amount: 2 }), 422, 'id_reused');
  });

  it('refuses an unknown member', async () => {
    expectProblem(await post('/holds', holdBody(newId('account'), { extra: 1 })), 400, 'invalid_request');
  });
});

describe('settle-hold and release-hold', () => {
  async function hold(): Promise<string> {
    const response = await post('/holds', holdBody(await accountWith(3), { amount: 2 }));
    return (response.body as { holdId: string }).holdId;
  }

  it('charge what was delivered', async () => {
    const response = await post(`/holds/${await hold()}/settlement`, { delivered: 1 });
    expect(response.body).toMatchObject({ state: 'settled', settled: 1, available: 2 });
  });

  it('give everything back', async () => {
    const response = await post(`/holds/${await hold()}/release`);
    expect(response.body).toMatchObject({ state: 'released', settled: 0, available: 3 });
  });

  it('answer 409 to the second that comes otherwise', async () => {
    const holdId = await hold();
    await post(`/holds/${holdId}/settlement`, { delivered: 2 });
    expectProblem(await post(`/holds/${holdId}/release`), 409, 'hold_not_pending');
  });

  it('answer 404 for a hold that was never made', async () => {
    expectProblem(await post(`/holds/${newId('hold')}/settlement`, { delivered: 1 }), 404, 'hold_not_found');
  });

  it('answer 422 for more than the hold', async () => {
    expectProblem(await post(`/holds/${await hold()}/settlement`, { delivered: 3 }), 422, 'id_reused');
  });
});

describe('without Postgres', () => {
  it.each(['connection refused', 'connection lost'])('answers 503, to be tried again: %s', async how => {
    const away = await createTestDatabase('credit-ledger');
    const url = new URL(away.databaseUrl);
    if (how === 'connection refused') {
      url.port = '1';
    }
    const service = await compose(
      loadConfig({
        DATABASE_URL: url.href,
        PORT: '0',
        LOG_LEVEL: 'silent',
        ...keys.settingsOf('credit-ledger'),
      }),
    );
    try {
      if (how === 'connection lost') {
        await away.drop();
      }
      const response = await request(service.app)
        .post('/internal/v1/holds')
        .set('authorization', await tokenOf('gateway'))
        .send(holdBody(newId('account')));
      expectProblem(response, 503, 'service_unavailable');
      expect(response.headers).toMatchObject({ 'retry-after': '1' });
    } finally {
      await service.stop();
      await away.drop();
    }
  });
});

describe('every operation', () => {
  const paths: readonly (readonly ['get' | 'post', string])[] = [
    ['get', `/internal/v1/accounts/${newId('account')}/balance`],
    ['post', '/internal/v1/grants'],
    ['post', '/internal/v1/holds'],
    ['post', `/internal/v1/holds/${newId('hold')}/settlement`],
    ['post', `/internal/v1/holds/${newId('hold')}/release`],
  ];

  it.each(paths)('%s %s refuses a call without a token', async (method, path) => {
    expectProblem(await request(ledger.app)[method](path), 401, 'invalid_service_token');
  });

  it.each(paths)('%s %s refuses a service that is not among its callers', async (method, path) => {
    const response = await request(ledger.app)
      [method](path)
      .set('authorization', await tokenOf('validation-engine'));
    expectProblem(response, 403, 'caller_not_allowed');
  });

  it.each(paths)('%s %s refuses a token made for another service', async (method, path) => {
    const token = await tokenOf('gateway', 'validation-engine');
    expectProblem(
      await request(ledger.app)[method](path).set('authorization', token),
      401,
      'invalid_service_token',
    );
  });

  it('refuses a token whose signer speaks in another’s name', async () => {
    const impostor = { ...keys.signingKeys['validation-engine'], kid: 'gateway' } as PrivateServiceKey;
    const token = await (await createTokenSigner(impostor))('credit-ledger');
    const response = await request(ledger.app)
      .post('/internal/v1/grants')
      .set('authorization', `Bearer ${token}`);
    expectProblem(response, 401, 'invalid_service_token');
  });
});
