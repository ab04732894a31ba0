import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import {
  accountWith,
  expectProblem,
  get,
  holdBody,
  post,
  startLedger,
  stopLedger,
} from './ledger-over-http.ts';

beforeAll(startLedger);
afterAll(stopLedger);

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

  it('has allowances without credits too, which are used until none is left and returned', async () => {
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

describe('receipts, refunds and the statement', () => {
  async function settledRun(credits: number, spent: number) {
    const accountId = await accountWith(credits);
    const body = { ...holdBody(accountId, { amount: credits }), requestId: newId('request') };
    const hold = (await post('/holds', body)).body as { holdId: string };
    await post(`/holds/${hold.holdId}/settlement`, { delivered: spent });
    return { ...body, ...hold };
  }

  it('show the credits reserved, spent, returned and refunded', async () => {
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

  it('lists entries of work and other entries separately, page by page', async () => {
    const run = await settledRun(5, 3);
    async function kindsOf(query: string) {
      const { body } = await get(`/accounts/${run.accountId}/entries?${query}`);
      const { entries, nextCursor } = body as { entries: { kind: string }[]; nextCursor?: string };
      return { kinds: entries.map(({ kind }) => kind), nextCursor };
    }
    expect(await kindsOf('movements=grants&limit=1')).toEqual({ kinds: ['grant'], nextCursor: undefined });
    const first = await kindsOf('movements=spending&limit=1');
    expect(first).toEqual({ kinds: ['settle'], nextCursor: expect.any(String) });
    expect(await kindsOf(`movements=spending&limit=1&cursor=${first.nextCursor}`)).toEqual({
      kinds: ['hold'],
      nextCursor: undefined,
    });
    expectProblem(await get(`/accounts/${run.accountId}/entries?movements=valueOf`), 400, 'invalid_request');
  });

  it('lists each receipt once, the newest first, page by page', async () => {
    const { accountId } = await settledRun(5, 1);
    const holds: string[] = [];
    for (let run = 0; run < 4; run += 1) {
      const { body } = await post('/holds', holdBody(accountId, { amount: 1 }));
      holds.push((body as { holdId: string }).holdId);
    }
    const pages: string[][] = [];
    let cursor = '';
    do {
      const { body } = await get(`/accounts/${accountId}/receipts?limit=2${cursor}`);
      const { receipts, nextCursor } = body as { receipts: { holdId: string }[]; nextCursor?: string };
      pages.push(receipts.map(({ holdId }) => holdId));
      cursor = nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
    } while (cursor !== '' && pages.length < 5);
    expect(pages).toEqual([[holds[3], holds[2]], [holds[1], holds[0]], [expect.any(String)]]);
  });

  it('of a period omit entries before and after it', async () => {
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
