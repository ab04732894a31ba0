import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  type TestDatabase,
  type TestServiceKeys,
  testServiceKeys,
} from '@mailproof/dev-house';
import { createTokenSigner, type PrivateServiceKey, type Service } from '@mailproof/service-kit';
import {
  type AccountId,
  ledgerOperations,
  newId,
  type Operation,
  problemDocument,
  type ServiceName,
} from '@mailproof/shared-types';
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

async function get(path: string) {
  return request(ledger.app)
    .get(`/internal/v1${path}`)
    .set('authorization', await tokenOf('gateway'));
}

describe('open-billing-cycle', () => {
  const hourMs = 3_600_000;
  function cycleBody(change: object = {}) {
    return {
      accountId: newId('account'),
      startsAt: new Date(Date.now() - hourMs).toISOString(),
      endsAt: new Date(Date.now() + hourMs).toISOString(),
      credits: 20,
      allowances: { people_preview: 2 },
      cause: 'open-cycle',
      ...change,
    };
  }

  it('grants the credits of the cycle until its end, once', async () => {
    const body = cycleBody();
    const first = await post('/billing-cycles', body);
    expect(first.body).toEqual({ accountId: body.accountId, available: 20, held: 0 });
    expect((await post('/billing-cycles', body)).body).toEqual(first.body);
    const { grants } = (await get(`/accounts/${body.accountId}/grants`)).body as { grants: object[] };
    expect(grants).toEqual([
      expect.objectContaining({ kind: 'cycle', amount: 20, available: 20, expiresAt: body.endsAt }),
    ]);
  });

  it('answers 422 when the cycle comes back with other credits, end or allowances', async () => {
    const body = cycleBody();
    await post('/billing-cycles', body);
    for (const change of [
      { credits: 21 },
      { endsAt: new Date(Date.now() + 2 * hourMs).toISOString() },
      { allowances: { people_preview: 3 } },
    ]) {
      expectProblem(await post('/billing-cycles', { ...body, ...change }), 422, 'id_reused');
    }
  });

  it('refuses a cycle that ends before it starts', async () => {
    const body = cycleBody({ endsAt: new Date(Date.now() - 2 * hourMs).toISOString() });
    expectProblem(await post('/billing-cycles', body), 400, 'invalid_request');
  });

  it('has allowances without credits too, which are taken until none is left and given back', async () => {
    const { accountId } = cycleBody();
    await post('/billing-cycles', cycleBody({ accountId, credits: 0 }));
    const take = (useId = newId('allowanceUse')) =>
      post('/allowance-uses', { useId, accountId, allowance: 'people_preview', cause: 'preview-people' });
    const useId = newId('allowanceUse');
    expect((await take(useId)).body).toEqual({ useId, taken: true, remaining: 1 });
    expect((await take(useId)).body).toEqual({ useId, taken: true, remaining: 1 });
    await take();
    expect((await take()).body).toMatchObject({ taken: false, remaining: 0 });
    const returned = await post(`/allowance-uses/${useId}/return`);
    expect(returned.body).toEqual({ useId, remaining: 1 });
    expect((await post(`/allowance-uses/${useId}/return`)).body).toEqual(returned.body);
    expect((await get(`/accounts/${accountId}/allowances`)).body).toMatchObject({
      allowances: [{ allowance: 'people_preview', limit: 2, used: 1 }],
    });
    expectProblem(
      await post('/allowance-uses', {
        ...{ useId, accountId: newId('account'), allowance: 'people_preview', cause: 'preview-people' },
      }),
      422,
      'id_reused',
    );
  });

  it('has no allowances while no cycle is open, and none can be taken', async () => {
    const accountId = newId('account');
    expect((await get(`/accounts/${accountId}/allowances`)).body).toEqual({ allowances: [] });
    const use = { useId: newId('allowanceUse'), accountId, allowance: 'people_preview', cause: 'preview' };
    expect((await post('/allowance-uses', use)).body).toMatchObject({ taken: false, remaining: 0 });
  });

  it('answers 404 to the return of a use that was never made', async () => {
    const response = await post(`/allowance-uses/${newId('allowanceUse')}/return`);
    expectProblem(response, 404, 'allowance_use_not_found');
  });
});

describe('renew-hold', () => {
  it('gives a hold more time, never less', async () => {
    const { body } = await post('/holds', holdBody(await accountWith(3)));
    const hold = body as { holdId: string; expiresAt: string };
    const shorter = await post(`/holds/${hold.holdId}/renewal`, { expiresInMs: 1_000 });
    expect(shorter.body).toMatchObject({ state: 'pending', expiresAt: hold.expiresAt });
    const longer = await post(`/holds/${hold.holdId}/renewal`, { expiresInMs: 600_000 });
    expect(Date.parse((longer.body as { expiresAt: string }).expiresAt)).toBeGreaterThan(
      Date.parse(hold.expiresAt),
    );
  });

  it('refuses a resolved hold and one that was never made', async () => {
    const { body } = await post('/holds', holdBody(await accountWith(3)));
    const { holdId } = body as { holdId: string };
    await post(`/holds/${holdId}/release`);
    expectProblem(await post(`/holds/${holdId}/renewal`, { expiresInMs: 1_000 }), 409, 'hold_not_pending');
    expectProblem(
      await post(`/holds/${newId('hold')}/renewal`, { expiresInMs: 1_000 }),
      404,
      'hold_not_found',
    );
  });
});

describe('receipts, refunds and the statement', () => {
  async function settledRun(credits: number, spent: number) {
    const accountId = await accountWith(credits);
    const body = { ...holdBody(accountId, { amount: credits }), requestId: newId('request') };
    const hold = (await post('/holds', body)).body as { holdId: string };
    await post(`/holds/${hold.holdId}/settlement`, { delivered: spent });
    return { ...body, ...hold };
  }

  it('tell what was reserved, spent, returned and refunded', async () => {
    const run = await settledRun(5, 3);
    const refund = { refundId: newId('refund'), accountId: run.accountId, runId: run.runId, cause: 'refund' };
    expect((await post('/refunds', { ...refund, amount: 2 })).body).toMatchObject({ available: 4 });
    expect((await post('/refunds', { ...refund, amount: 2 })).body).toMatchObject({ available: 4 });
    expectProblem(await post('/refunds', { ...refund, amount: 1 }), 422, 'id_reused');
    expectProblem(
      await post('/refunds', { ...refund, refundId: newId('refund'), amount: 2 }),
      409,
      'refund_exceeds_spent',
    );
    const receipt = await get(`/accounts/${run.accountId}/receipts/${run.runId}`);
    expect(receipt.body).toMatchObject({
      ...{ runId: run.runId, holdId: run.holdId, requestId: run.requestId, state: 'settled' },
      ...{ reserved: 5, spent: 3, returned: 2, refunded: 2 },
    });
  });

  it('are another account’s secret', async () => {
    const run = await settledRun(5, 3);
    const other = newId('account');
    expectProblem(await get(`/accounts/${other}/receipts/${run.runId}`), 404, 'receipt_not_found');
    const refund = {
      refundId: newId('refund'),
      accountId: other,
      runId: run.runId,
      amount: 1,
      cause: 'refund',
    };
    expectProblem(await post('/refunds', refund), 404, 'receipt_not_found');
    expect((await get(`/accounts/${other}/entries`)).body).toEqual({ entries: [] });
    expect((await get(`/accounts/${other}/receipts`)).body).toEqual({ receipts: [] });
    expect((await get(`/accounts/${other}/grants`)).body).toEqual({ grants: [] });
  });

  it('name account, cause, run, request and the balance after each entry, page by page', async () => {
    const run = await settledRun(5, 3);
    const first = (await get(`/accounts/${run.accountId}/entries?limit=2`)).body as {
      entries: object[];
      nextCursor: string;
    };
    expect(first.entries).toEqual([
      expect.objectContaining({ kind: 'settle', cause: 'test-run', availableAfter: 2, heldAfter: 0 }),
      expect.objectContaining({ kind: 'hold', runId: run.runId, requestId: run.requestId, heldAfter: 5 }),
    ]);
    const second = await get(
      `/accounts/${run.accountId}/entries?limit=2&cursor=${encodeURIComponent(first.nextCursor)}`,
    );
    expect(second.body).toEqual({
      entries: [expect.objectContaining({ kind: 'grant', cause: 'test-grant', availableChange: 5 })],
    });
  });

  it('of a period leave out what was before and after it', async () => {
    const run = await settledRun(5, 3);
    const future = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    for (const list of ['entries', 'receipts']) {
      expect((await get(`/accounts/${run.accountId}/${list}?from=${future}`)).body).toEqual({ [list]: [] });
      const until = (await get(`/accounts/${run.accountId}/${list}?until=${future}`)).body as object;
      expect(Object.values(until)[0]).not.toEqual([]);
    }
  });

  it('refuse a cursor that this list never gave', async () => {
    const run = await settledRun(5, 3);
    const page = await get(`/accounts/${run.accountId}/entries?limit=1`);
    const { nextCursor } = page.body as { nextCursor: string };
    for (const path of [`entries?cursor=nonsense`, `receipts?cursor=${nextCursor}`]) {
      expectProblem(await get(`/accounts/${run.accountId}/${path}`), 400, 'invalid_cursor');
    }
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
  /** A path of the operation with an id for each parameter. */
  function pathOf({ path }: Operation): string {
    const ids: Record<string, string> = {
      accountId: newId('account'),
      holdId: newId('hold'),
      useId: newId('allowanceUse'),
      runId: newId('request'),
    };
    return path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '');
  }
  const operations = ledgerOperations.map((operation: Operation) => [operation.id, operation] as const);

  async function call(operation: Operation, path: string, token?: string) {
    const asked = request(ledger.app)[operation.method](path);
    return token === undefined ? asked : asked.set('authorization', token);
  }

  it.each(operations)('%s refuses a call without a token', async (_, operation) => {
    expectProblem(await call(operation, pathOf(operation)), 401, 'invalid_service_token');
  });

  it.each(operations)('%s refuses a service that is not among its callers', async (_, operation) => {
    const response = await call(operation, pathOf(operation), await tokenOf('validation-engine'));
    expectProblem(response, 403, 'caller_not_allowed');
  });

  it.each(operations)('%s refuses a token made for another service', async (_, operation) => {
    const token = await tokenOf('gateway', 'validation-engine');
    expectProblem(await call(operation, pathOf(operation), token), 401, 'invalid_service_token');
  });

  it.each(operations)('%s refuses bad input', async (_, operation) => {
    const takesBody = operation.bodyBytesMax > 0;
    const path = takesBody ? pathOf(operation) : operation.path.replace(/:\w+/g, 'x'.repeat(200));
    const asked = request(ledger.app)
      [operation.method](path)
      .set('authorization', await tokenOf('gateway'));
    const response = await (takesBody ? asked.send({ unknown: 1 }) : asked);
    expectProblem(response, 400, 'invalid_request');
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
