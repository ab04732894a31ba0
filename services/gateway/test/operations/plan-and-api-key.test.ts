import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  cancelPlanChange,
  changePlan,
  choosablePlanNames,
  getApiKey,
  getPlan,
  type PlanName,
  regenerateApiKey,
} from '@mailproof/shared-types';
import pg from 'pg';
import { lapse, pay } from '../../src/domain/billing/billing.ts';
import { openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
});

afterAll(() => test.stop());

/** A signed-in owner, and the account's key. */
async function ownerOf(plan: PlanName): Promise<Person & { readonly apiKey: string | undefined }> {
  const { accountId, apiKey } = await test.accounts.create({ name: 'Test', plan, credits: 0 });
  const owner = await (await test.owner({ accountId })).signIn();
  return Object.assign(owner, { apiKey });
}

/** The same person, but only as a member. */
async function memberOf(plan: PlanName): Promise<Person> {
  const person = await ownerOf(plan);
  await query('UPDATE gateway.app_user SET role = $2 WHERE user_id = $1', [person.userId, 'member']);
  return person;
}

async function query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: test.house.databaseUrls['gateway']?.databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** The answers of every gateway to a key. */
function tryKey(apiKey: string | undefined): Promise<{ status: number; code: unknown }[]> {
  return Promise.all(
    test.house.gatewayUrls.map(async url => {
      const response = await fetch(`${url}/api/v1/me`, { headers: { 'x-api-key': apiKey ?? '' } });
      return { status: response.status, code: ((await response.json()) as { code?: unknown }).code };
    }),
  );
}

function step(
  accountId: string,
  decide: Parameters<TestHouse['operator']['billing']['change']>[1],
  now: Date,
) {
  return test.operator.billing.change(accountId as AccountId, decide, { now, graceDays: 7 });
}

describeOperation(getApiKey, {
  async success() {
    const owner = await ownerOf('starter');
    const { status, body } = await owner.get('/api-key');
    expect(status).toBe(200);
    expect(getApiKey.success.schema.strict().parse(body)).toMatchObject({
      api_key: owner.apiKey,
      display_prefix: owner.apiKey?.slice(0, 12),
      state: 'active',
    });
    const [event] = await query(
      'SELECT kind FROM gateway.security_event WHERE account_id = $1 ORDER BY security_event_id DESC LIMIT 1',
      [owner.accountId],
    );
    expect(event).toEqual({ kind: 'api_key_shown' });
  },
  async badInput() {
    const owner = await ownerOf('starter');
    expect((await owner.get('/api-key?more=1')).body['code']).toBe('invalid_request');
    expect(await (await ownerOf('free')).get('/api-key')).toMatchObject({
      status: 404,
      body: { code: 'api_key_not_found' },
    });
    await query(
      'UPDATE gateway.api_key SET sealed_key = NULL, sealed_kid = NULL WHERE account_id = $1 RETURNING 1',
      [owner.accountId],
    );
    expect(await owner.get('/api-key')).toMatchObject({
      status: 409,
      body: { code: 'api_key_cannot_be_shown', detail: expect.stringContaining('Regenerate') },
    });
  },
  async noCredentials() {
    expect((await test.stranger().get('/api-key')).status).toBe(401);
    expect(await (await memberOf('starter')).get('/api-key')).toMatchObject({
      status: 403,
      body: { code: 'owner_required' },
    });
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf('starter'), await ownerOf('starter')];
    expect((await one.get('/api-key')).body['api_key']).toBe(one.apiKey);
    expect((await other.get('/api-key')).body['api_key']).toBe(other.apiKey);
  },
});

describeOperation(regenerateApiKey, {
  async success() {
    const owner = await ownerOf('growth');
    expect(await tryKey(owner.apiKey)).toMatchObject([{ status: 200 }, { status: 200 }]);
    const { status, body } = await owner.send('/api-key/regeneration', { method: 'POST' });
    expect(status).toBe(200);
    const made = regenerateApiKey.success.schema.strict().parse(body);
    expect(await tryKey(owner.apiKey)).toEqual([
      { status: 401, code: 'revoked_api_key' },
      { status: 401, code: 'revoked_api_key' },
    ]);
    expect(await tryKey(made.api_key)).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect((await owner.get('/api-key')).body['api_key']).toBe(made.api_key);
  },
  async badInput() {
    const owner = await ownerOf('free');
    const none = await owner.send('/api-key/regeneration', { method: 'POST' });
    expect(none).toMatchObject({ status: 404, body: { code: 'api_key_not_found' } });
    const more = await owner.send('/api-key/regeneration?more=1', { method: 'POST' });
    expect(more.body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    const init = { method: 'POST' };
    expect((await test.stranger().send('/api-key/regeneration', init)).status).toBe(401);
    const member = await memberOf('starter');
    expect((await member.send('/api-key/regeneration', init)).body['code']).toBe('owner_required');
    const headers = { 'sec-fetch-site': 'cross-site' };
    const fromElsewhere = await (await ownerOf('starter')).send('/api-key/regeneration', {
      ...init,
      headers,
    });
    expect(fromElsewhere.body['code']).toBe('cross_site_request');
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf('starter'), await ownerOf('starter')];
    await one.send('/api-key/regeneration', { method: 'POST' });
    expect(await tryKey(other.apiKey)).toMatchObject([{ status: 200 }, { status: 200 }]);
  },
});

describeOperation(getPlan, {
  async success() {
    const member = await memberOf('starter');
    const { status, body } = await member.get('/plan');
    expect(status).toBe(200);
    const shown = getPlan.success.schema.strict().parse(body);
    expect(shown).toMatchObject({
      plan: { name: 'starter', credits_per_cycle: 5_000, api_access: true },
      requests_per_second: 10,
      payment: { state: 'paid', paid_until: shown.cycle?.ends_at, lapsed_plan: null },
      pending_change: null,
    });
    expect(shown.choices.map(({ name }) => name)).toEqual(choosablePlanNames);
    expect((await (await ownerOf('custom')).get('/plan')).body).toMatchObject({
      payment: { state: 'not_needed', paid_until: null },
      choices: [],
    });
  },
  async badInput() {
    expect((await (await ownerOf('free')).get('/plan?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await test.stranger().get('/plan')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf('free'), await ownerOf('growth')];
    expect((await one.get('/plan')).body).toMatchObject({ plan: { name: 'free' } });
    expect((await other.get('/plan')).body).toMatchObject({ plan: { name: 'growth' } });
  },
});

describeOperation(changePlan, {
  async success() {
    const owner = await ownerOf('starter');
    const up = await owner.post('/plan/change', { plan: 'scale' });
    expect(up.status).toBe(200);
    expect(changePlan.success.schema.strict().parse(up.body)).toMatchObject({
      state: 'requested',
      payment: { kind: 'operator_confirms' },
      account_plan: {
        plan: { name: 'starter' },
        pending_change: { plan: 'scale', takes_effect: 'on_payment', effective_at: null },
      },
    });
    const down = await owner.post('/plan/change', { plan: 'free' });
    const scheduled = changePlan.success.schema.strict().parse(down.body);
    expect(scheduled).toMatchObject({
      state: 'scheduled',
      payment: null,
      account_plan: { pending_change: { plan: 'free', effective_at: scheduled.account_plan.cycle?.ends_at } },
    });
    const events = await query(
      "SELECT details FROM gateway.security_event WHERE account_id = $1 AND kind = 'plan_changed' ORDER BY security_event_id",
      [owner.accountId],
    );
    expect(events.map(({ details }) => details)).toEqual([
      { plan: 'scale', takes_effect: 'on_payment' },
      { plan: 'free', takes_effect: 'at_cycle_end' },
    ]);
  },
  async badInput() {
    const owner = await ownerOf('starter');
    for (const body of [{}, { plan: 'custom' }, { plan: 'gold' }, { plan: 'free', more: 1 }, { plan: 1 }]) {
      expect(await owner.post('/plan/change', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
    }
    expect(await owner.post('/plan/change', { plan: 'starter' })).toMatchObject({
      status: 409,
      body: { code: 'plan_change_not_possible' },
    });
    const agreed = await ownerOf('custom');
    expect((await agreed.post('/plan/change', { plan: 'starter' })).body['code']).toBe(
      'plan_change_not_possible',
    );
  },
  async noCredentials() {
    const body = { plan: 'free' };
    expect((await test.stranger().post('/plan/change', body)).status).toBe(401);
    expect((await (await memberOf('starter')).post('/plan/change', body)).body['code']).toBe(
      'owner_required',
    );
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf('starter'), await ownerOf('starter')];
    await one.post('/plan/change', { plan: 'scale' });
    expect((await other.get('/plan')).body['pending_change']).toBeNull();
  },
});

describeOperation(cancelPlanChange, {
  async success() {
    const owner = await ownerOf('starter');
    await owner.post('/plan/change', { plan: 'scale' });
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await owner.delete('/plan/change');
      expect(status).toBe(200);
      expect(cancelPlanChange.success.schema.strict().parse(body)).toMatchObject({
        plan: { name: 'starter' },
        pending_change: null,
      });
    }
  },
  async badInput() {
    const answer = await (await ownerOf('starter')).delete('/plan/change?more=1');
    expect(answer.body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await test.stranger().delete('/plan/change')).status).toBe(401);
    expect((await (await memberOf('starter')).delete('/plan/change')).body['code']).toBe('owner_required');
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf('starter'), await ownerOf('starter')];
    await one.post('/plan/change', { plan: 'scale' });
    await other.delete('/plan/change');
    expect((await one.get('/plan')).body['pending_change']).toMatchObject({ plan: 'scale' });
  },
});

describe('a plan that lapses', () => {
  it('disables the key at every gateway with the next request, and the payment lets it work again', async () => {
    const owner = await ownerOf('growth');
    const now = new Date();
    expect(await tryKey(owner.apiKey)).toMatchObject([{ status: 200 }, { status: 200 }]);
    await step(owner.accountId, billing => lapse(billing, now), now);
    expect(await tryKey(owner.apiKey)).toEqual([
      { status: 401, code: 'plan_without_api_access' },
      { status: 401, code: 'plan_without_api_access' },
    ]);
    expect((await owner.get('/api-key')).body).toMatchObject({ state: 'disabled', api_key: owner.apiKey });
    expect((await owner.get('/plan')).body).toMatchObject({
      plan: { name: 'free' },
      payment: { state: 'lapsed', lapsed_plan: 'growth' },
    });
    await step(owner.accountId, billing => pay(billing, now, 1, 7), now);
    expect(await tryKey(owner.apiKey)).toMatchObject([{ status: 200 }, { status: 200 }]);
  });
});
