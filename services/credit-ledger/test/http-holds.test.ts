import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import request from 'supertest';
import {
  accountWith,
  expectProblem,
  holdBody,
  ledger,
  post,
  startLedger,
  stopLedger,
  tokenOf,
} from './ledger-over-http.ts';

beforeAll(startLedger);
afterAll(stopLedger);

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

  it('answers the same hold when a run comes back and asks for another time', async () => {
    const body = holdBody(await accountWith(3), { requestId: newId('request') });
    const first = await post('/holds', body);
    const again = await post('/holds', { ...body, expiresInMs: 90_000 });
    const { expiresInMs, ...same } = again.body;
    expect([again.status, same]).toEqual([first.status, { ...first.body, expiresInMs: undefined }]);
    expect(expiresInMs).toBeLessThanOrEqual(first.body.expiresInMs);
    await post(`/holds/${first.body.holdId}/settlement`, { delivered: 1 });
    const paid = await post('/holds', { ...body, expiresInMs: 30_000 });
    expect([paid.status, paid.body.holdId, paid.body.state]).toEqual([
      first.status,
      first.body.holdId,
      'settled',
    ]);
    const other = await post('/holds', { ...body, requestId: newId('request') });
    expectProblem(other, 422, 'id_reused');
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
