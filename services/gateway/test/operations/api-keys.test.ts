import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createApiKey,
  type KeyScope,
  keyScopeNames,
  keyScopeOf,
  limits,
  listApiKeys,
  newId,
  type Operation,
  type PlanName,
  restOperations,
  revokeApiKey,
} from '@mailproof/shared-types';
import pg from 'pg';
import { openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
});

afterAll(() => test?.stop());

async function ownerOf(plan: PlanName = 'custom'): Promise<Person> {
  const { accountId } = await test.accounts.create({
    name: 'Test',
    plan,
    credits: 0,
    requestsPerSecond: 1_000,
  });
  return (await test.owner({ accountId })).signIn();
}

async function made(owner: Person, scopes: readonly KeyScope[], more: object = {}) {
  const { status, body } = await owner.post('/api-keys', { name: 'A form', scopes, ...more });
  expect(status).toBe(201);
  return createApiKey.success.schema.strict().parse(body);
}

async function listed(owner: Person) {
  const { status, body } = await owner.get('/api-keys');
  expect(status).toBe(200);
  return listApiKeys.success.schema.strict().parse(body).api_keys;
}

interface Tried {
  readonly status: number;
  readonly code?: unknown;
  readonly required_scope?: unknown;
}

/** The answer of one gateway to a request with a key, without its body if it is not about a problem. */
async function ask(
  gatewayUrl: string | undefined,
  apiKey: string,
  path: string,
  method = 'GET',
): Promise<Tried> {
  const response = await fetch(`${gatewayUrl}${path}`, {
    method,
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(60_000),
  });
  const { status } = response;
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) {
    await response.body?.cancel();
    return { status };
  }
  const { code, required_scope } = (await response.json()) as Omit<Tried, 'status'>;
  return { status, code, ...(required_scope !== undefined && { required_scope }) };
}

/** The answers of every gateway. */
const askAll = (apiKey: string, path = '/api/v1/me') =>
  Promise.all(test.house.gatewayUrls.map(url => ask(url, apiKey, path)));

async function query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: test.house.databaseUrls['gateway']?.databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describeOperation(createApiKey, {
  async success() {
    const owner = await ownerOf();
    const expires_at = inAnHour();
    const key = await made(owner, ['account.read', 'validation'], { name: ' Sign-up form ', expires_at });
    expect(key).toMatchObject({
      name: 'Sign-up form',
      scopes: ['validation', 'account.read'],
      state: 'active',
      created_by: owner.userId,
      expires_at,
      last_used_at: null,
    });
    expect(await askAll(key.api_key)).toEqual([{ status: 200 }, { status: 200 }]);
    // Only its hash is stored, and the security event names it without revealing it.
    const [event] = await query(
      'SELECT kind, user_id, details FROM gateway.security_event WHERE account_id = $1 ORDER BY security_event_id DESC',
      [owner.accountId],
    );
    expect(event).toEqual({
      kind: 'api_key_generated',
      user_id: owner.userId,
      details: {
        name: 'Sign-up form',
        display_prefix: key.display_prefix,
        scopes: 'validation account.read',
      },
    });
    const stored = await query(
      'SELECT to_jsonb(k)::text AS text FROM gateway.named_api_key k WHERE account_id = $1',
      [owner.accountId],
    );
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(key.api_key.slice(key.display_prefix.length));
  },
  async badInput() {
    const owner = await ownerOf();
    for (const body of [
      {},
      { name: 'A form', scopes: [] },
      { name: 'A form', scopes: ['everything'] },
      { name: 'A form', scopes: ['leads', 'leads'] },
      { name: ' ', scopes: ['leads'] },
      { name: 'two\nlines', scopes: ['leads'] },
      { name: 'x'.repeat(limits.apiKeyNameCharactersMax + 1), scopes: ['leads'] },
      { name: 'A form', scopes: ['leads'], expires_at: 'tomorrow' },
      { name: 'A form', scopes: ['leads'], expires_at: '2026-01-01T00:00:00Z' },
      { name: 'A form', scopes: ['leads'], more: 1 },
    ]) {
      expect(await owner.post('/api-keys', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
    }
    const free = await ownerOf('free');
    expect(await free.post('/api-keys', { name: 'A form', scopes: ['leads'] })).toMatchObject({
      status: 404,
      body: { code: 'api_key_not_found', detail: expect.stringContaining('API access') },
    });
    for (let count = 0; count < limits.apiKeysMax; count += 1) {
      await made(owner, ['leads']);
    }
    expect(await owner.post('/api-keys', { name: 'One more', scopes: ['leads'] })).toMatchObject({
      status: 409,
      body: { code: 'api_keys_exhausted' },
    });
  },
  async noCredentials() {
    const body = { name: 'A form', scopes: ['leads'] };
    expect((await test.stranger().post('/api-keys', body)).status).toBe(401);
    const owner = await ownerOf();
    const member = await test.member(owner);
    expect((await member.post('/api-keys', body)).body['code']).toBe('owner_required');
    const elsewhere = await owner.post('/api-keys', body, { 'sec-fetch-site': 'cross-site' });
    expect(elsewhere.body['code']).toBe('cross_site_request');
    expect(await listed(owner)).toEqual([]);
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf(), await ownerOf()];
    const key = await made(one, ['account.read', 'leads']);
    const list = await one.post('/saved-lists', { kind: 'people', name: 'Leads' });
    const path = `/api/v1/saved-lists/${list.body['list_id']}`;
    expect(await askAll(key.api_key, path)).toEqual([{ status: 200 }, { status: 200 }]);
    const theirs = await made(other, ['leads']);
    expect((await askAll(theirs.api_key, path)).map(({ status }) => status)).toEqual([404, 404]);
  },
});

describeOperation(listApiKeys, {
  async success() {
    const owner = await ownerOf();
    const first = await made(owner, ['account.read']);
    const second = await made(owner, ['leads', 'exports'], { name: 'Sync', expires_at: inAnHour() });
    const { api_key: _first, ...shownFirst } = first;
    const { api_key: _second, ...shownSecond } = second;
    expect(await listed(owner)).toEqual([shownSecond, shownFirst]);
    await askAll(first.api_key);
    const used = await until(
      'the last use of the key',
      async () => (await listed(owner))[1]?.last_used_at ?? '',
      at => at !== '',
    );
    expect(Date.parse(used)).toBeGreaterThan(Date.parse(first.created_at));
    await query(
      "UPDATE gateway.named_api_key SET expires_at = now() - interval '1 second' WHERE api_key_id = $1 RETURNING 1",
      [second.api_key_id],
    );
    expect(await listed(owner)).toMatchObject([{ state: 'expired' }, { state: 'active' }]);
  },
  async badInput() {
    expect((await (await ownerOf()).get('/api-keys?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await test.stranger().get('/api-keys')).status).toBe(401);
    const member = await test.member(await ownerOf());
    expect((await member.get('/api-keys')).body['code']).toBe('owner_required');
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf(), await ownerOf()];
    await made(one, ['leads']);
    expect(await listed(other)).toEqual([]);
  },
});

describeOperation(revokeApiKey, {
  async success() {
    const owner = await ownerOf();
    const [kept, key] = [await made(owner, ['account.read']), await made(owner, ['account.read'])];
    expect(await askAll(key.api_key)).toEqual([{ status: 200 }, { status: 200 }]);
    expect(await owner.delete(`/api-keys/${key.api_key_id}`)).toMatchObject({
      status: 200,
      body: { done: true },
    });
    const refused = { status: 401, code: 'revoked_api_key' };
    expect(await askAll(key.api_key)).toEqual([refused, refused]);
    expect(await askAll(kept.api_key)).toEqual([{ status: 200 }, { status: 200 }]);
    expect((await listed(owner)).map(({ api_key_id }) => api_key_id)).toEqual([kept.api_key_id]);
    const again = await owner.delete(`/api-keys/${key.api_key_id}`);
    expect(again).toMatchObject({ status: 404, body: { code: 'api_key_not_found' } });
    const events = await query(
      "SELECT user_id FROM gateway.security_event WHERE account_id = $1 AND kind = 'api_key_revoked'",
      [owner.accountId],
    );
    expect(events).toEqual([{ user_id: owner.userId }]);
  },
  async badInput() {
    const owner = await ownerOf();
    expect((await owner.delete('/api-keys/sign-up-form')).body['code']).toBe('invalid_request');
    const unknown = await owner.delete(`/api-keys/${newId('apiKey')}`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'api_key_not_found' } });
    // The default key is replaced instead.
    const shown = await owner.get('/api-key');
    const byId = await owner.delete(`/api-keys/${shown.body['api_key_id']}`);
    expect(byId.body['code']).toBe('api_key_not_found');
    expect((await askAll(String(shown.body['api_key']))).map(({ status }) => status)).toEqual([200, 200]);
  },
  async noCredentials() {
    const owner = await ownerOf();
    const { api_key_id, api_key } = await made(owner, ['account.read']);
    expect((await test.stranger().delete(`/api-keys/${api_key_id}`)).status).toBe(401);
    const member = await test.member(owner);
    expect((await member.delete(`/api-keys/${api_key_id}`)).body['code']).toBe('owner_required');
    expect(await askAll(api_key)).toEqual([{ status: 200 }, { status: 200 }]);
  },
  async anotherTenant() {
    const [one, other] = [await ownerOf(), await ownerOf()];
    const { api_key_id, api_key } = await made(one, ['account.read']);
    const answer = await other.delete(`/api-keys/${api_key_id}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'api_key_not_found' } });
    expect(await askAll(api_key)).toEqual([{ status: 200 }, { status: 200 }]);
  },
});

describe('a named key', () => {
  it('is refused everywhere once it has expired, and once its plan has no API access', async () => {
    const owner = await ownerOf();
    const key = await made(owner, ['account.read']);
    await query("UPDATE gateway.account SET plan = 'free' WHERE account_id = $1 RETURNING 1", [
      owner.accountId,
    ]);
    const disabled = { status: 401, code: 'plan_without_api_access' };
    expect(await askAll(key.api_key)).toEqual([disabled, disabled]);
    expect(await listed(owner)).toMatchObject([{ state: 'disabled' }]);
    await query("UPDATE gateway.account SET plan = 'custom' WHERE account_id = $1 RETURNING 1", [
      owner.accountId,
    ]);
    expect(await askAll(key.api_key)).toEqual([{ status: 200 }, { status: 200 }]);
    await query('UPDATE gateway.named_api_key SET expires_at = now() WHERE api_key_id = $1 RETURNING 1', [
      key.api_key_id,
    ]);
    const expired = { status: 401, code: 'expired_api_key' };
    expect(await askAll(key.api_key)).toEqual([expired, expired]);
  });

  it('stays when the default key is regenerated, and is the creator of what it creates', async () => {
    const owner = await ownerOf();
    const key = await made(owner, ['leads', 'account.read']);
    expect((await owner.send('/api-key/regeneration', { method: 'POST' })).status).toBe(200);
    const response = await fetch(`${test.house.gatewayUrls[0]}/api/v1/saved-lists`, {
      method: 'POST',
      headers: { 'x-api-key': key.api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'people', name: 'From a program' }),
    });
    expect([response.status, await response.json()]).toMatchObject([201, { created_by: key.api_key_id }]);
  });

  it('counts in the account’s one rate window, also where it lacks the scope', async () => {
    const { accountId } = await test.accounts.create({
      name: 'Test',
      plan: 'custom',
      credits: 0,
      requestsPerSecond: 3,
    });
    const owner = await (await test.owner({ accountId })).signIn();
    const keys = [await made(owner, ['leads']), await made(owner, ['exports'])];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        ask(test.house.gatewayUrls[at % 2], keys[at % 2]?.api_key ?? '', '/api/v1/me'),
      ),
    );
    const codes = answers.map(({ code }) => code);
    expect(codes.filter(code => code === 'scope_required').length).toBeGreaterThanOrEqual(3);
    expect(codes.filter(code => code === 'rate_limited').length).toBeGreaterThan(0);
  });
});

describe('a key with scopes', () => {
  /** The operations that a key opens; `keyScopeOf` is what the guard reads from the contract too. */
  const opened = restOperations.flatMap((operation: Operation) => {
    const scope = keyScopeOf(operation);
    return scope === undefined ? [] : [{ ...operation, scope }];
  });
  const keys: Partial<Record<KeyScope, { readonly only: string; readonly others: string }>> = {};

  beforeAll(async () => {
    const owner = await ownerOf();
    for (const scope of keyScopeNames) {
      const only = await made(owner, [scope]);
      const others = await made(
        owner,
        keyScopeNames.filter(each => each !== scope),
      );
      keys[scope] = { only: only.api_key, others: others.api_key };
    }
  });

  it('has operations for each scope', () => {
    const rest = restOperations.filter(operation => keyScopeOf(operation) === undefined);
    // All others need a key: no operation of the API is open by accident.
    expect(rest.map(({ id }) => id)).toEqual(['request-do-not-probe']);
    expect(opened.length + rest.length).toBe(restOperations.length);
    expect(new Set(opened.map(({ scope }) => scope))).toEqual(new Set(keyScopeNames));
  });

  it.each(opened)('opens $method $path with $scope alone', async ({ method, path, scope }) => {
    // No object has this id, and no body is sent: the request passes the guard and changes nothing.
    const url = path.replace(/:(\w+)/g, () => newId('request'));
    const gateway = test.house.gatewayUrls[0];
    const refused = await ask(gateway, keys[scope]?.others ?? '', url, method.toUpperCase());
    expect(refused).toEqual({ status: 403, code: 'scope_required', required_scope: scope });
    for (const other of keyScopeNames.filter(each => each !== scope)) {
      const one = await ask(gateway, keys[other]?.only ?? '', url, method.toUpperCase());
      expect({ other, ...one }).toEqual({
        other,
        status: 403,
        code: 'scope_required',
        required_scope: scope,
      });
    }
    const passed = await ask(gateway, keys[scope]?.only ?? '', url, method.toUpperCase());
    expect([401, 403, 405, 429, 500, 503]).not.toContain(passed.status);
    expect(passed.code).not.toBe('route_not_found');
  });
});
