import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTokenSigner, type PrivateServiceKey } from '@mailproof/service-kit';
import {
  type AccountId,
  type ApiKeyId,
  assistantOperations,
  assistantRefusals,
  newId,
  restOperations,
  type ServiceName,
  sandboxAccountOf,
  sandboxDomain,
} from '@mailproof/shared-types';
import { type Answer, openSharedHouse, type Person, type TestHouse, testPassword } from './house.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
});

afterAll(() => test?.stop());

/** An account with a key, and a user whose assistant sends requests. */
async function openAccount({ plan = 'custom' as const, credits = 20, requestsPerSecond = 1_000 } = {}) {
  const customer = await test.open({ plan, credits, requestsPerSecond });
  const owner = await test.owner({ accountId: customer.accountId });
  return { customer, owner };
}

async function tokenOf(caller: ServiceName): Promise<string> {
  const key = test.house.environments['mcp-server']['SERVICE_SIGNING_KEY'] ?? '';
  const own =
    caller === 'mcp-server' ? key : (test.house.environments['credit-ledger']['SERVICE_SIGNING_KEY'] ?? '');
  return (await createTokenSigner(JSON.parse(own) as PrivateServiceKey))('gateway');
}

/** Sends a request as the tool server does for an assistant of this user. */
async function askFor(
  { accountId, userId }: Pick<Person, 'accountId' | 'userId'>,
  path: string,
  init: RequestInit = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const url = `${test.house.services['gateway']?.internalUrl}/internal/v1/accounts/${accountId}/users/${userId}/api/v1${path}`;
  const response = await fetch(url, {
    signal: AbortSignal.timeout(60_000),
    ...init,
    headers: {
      authorization: `Bearer ${await tokenOf('mcp-server')}`,
      ...(init.headers as Record<string, string> | undefined),
      ...headers,
    },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const posting = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

/** The parts of an answer that must be equal on both ports: all but the request's id and what changes with time. */
function lastingOf({ status, headers, body: { requestId: _id, ...body } }: Answer) {
  const moving = [
    'x-request-id',
    'date',
    'x-ratelimit-reset',
    'x-ratelimit-remaining',
    'ratelimit',
    'content-length',
  ];
  const kept = [...headers].filter(
    ([name]) => !moving.includes(name) && name !== 'strict-transport-security',
  );
  return { status, body, headers: Object.fromEntries(kept), names: [...headers.keys()].sort() };
}

it('exist only for operations that an API key opens, and only for those that tools use', async () => {
  const open = new Set(restOperations.map(({ id }) => id));
  for (const { id } of assistantOperations) expect(open).toContain(id);
  const { owner } = await openAccount();
  for (const [path, init] of [
    ['/outcomes', posting('email,outcome')],
    ['/saved-people', {}],
    ['/validation-jobs', {}],
    [`/people-searches/${newId('discoverySearch')}/runs`, posting('{"people":1}')],
  ] as const) {
    const { status, body } = await askFor(owner, path, init);
    expect([path, status, body['code']]).toEqual([
      path,
      expect.any(Number),
      expect.stringMatching(/not_found|not_allowed/),
    ]);
  }
});

describe('the operations for assistants', () => {
  it.each([
    ['the balance', '/me', {}],
    [
      'an address that is not written as the standards require',
      '/validate-single-email',
      posting('{"email":"@"}'),
    ],
    ['a body that is no JSON', '/validate-single-email', posting('{')],
    ['a body of another type', '/validate-single-email', posting('{}', { 'content-type': 'text/plain' })],
    ['an unknown member', '/validate-single-email', posting('{"email":"ada@ordinary.example","force":1}')],
    ['an unknown parameter', '/me?verbose=1', {}],
  ] as const)('answer as the REST interface does: %s', async (_what, path, init) => {
    const { customer, owner } = await openAccount();
    const rest = await customer.send(path, init);
    const asked = await askFor(owner, path, init);
    expect(lastingOf(asked)).toEqual(lastingOf(rest));
    expect(asked.headers.get('x-ratelimit-limit')).toBe('1000');
  });

  it('charge an answer once for an Idempotency-Key, at either port', async () => {
    const { customer, owner } = await openAccount({ credits: 5 });
    const path = '/validate-single-email';
    const body = '{"email":"ada@ordinary.example"}';
    const keyed = posting(body, { 'idempotency-key': crypto.randomUUID() });
    const first = await askFor(owner, path, keyed);
    expect(first).toMatchObject({ status: 200, body: { result: 'ok', credits_consumed: true } });
    expect(first.headers.get('x-credits-remaining')).toBe('4');
    for (const again of [await askFor(owner, path, keyed), await customer.send(path, keyed)]) {
      expect(again).toMatchObject({ status: 200, body: first.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.headers.get('x-credits-remaining')).toBe('4');
    }
  });

  it('count in the one rate window of the account', async () => {
    const { customer, owner } = await openAccount({ requestsPerSecond: 10 });
    const startedAtMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, number) => (number % 2 ? customer.me() : askFor(owner, '/me'))),
    );
    const windows = 1 + Math.floor((performance.now() - startedAtMs) / 1_000);
    const admitted = answers.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(10);
    expect(admitted).toBeLessThanOrEqual(10 * windows);
    const refused = answers.filter(({ status }) => status === 429);
    expect(admitted + refused.length).toBe(answers.length);
    for (const { body, headers } of refused) {
      expect(body['code']).toBe('rate_limited');
      expect(headers.get('retry-after')).toBe('1');
    }
  });
});

describe('the operations for assistants refuse from the next request on', () => {
  const refusal = (reason: keyof typeof assistantRefusals) => ({
    status: 401,
    body: { code: 'assistant_refused', detail: assistantRefusals[reason] },
  });

  it('an account whose only key was revoked, but not one whose key was replaced', async () => {
    const { customer, owner } = await openAccount();
    expect((await askFor(owner, '/me')).status).toBe(200);
    await owner.signIn();
    expect((await owner.post('/api-key/regeneration', { password: testPassword })).status).toBe(200);
    expect((await customer.me()).status).toBe(401);
    expect((await askFor(owner, '/me')).status).toBe(200);
    const key = (await owner.get('/api-key')).body;
    expect(await test.accounts.revokeKey(key['api_key_id'] as ApiKeyId)).toBe(true);
    expect(await askFor(owner, '/me')).toMatchObject(refusal('no_ready_api_key'));
  });

  it('an account without a plan with API access', async () => {
    const { accountId } = await test.accounts.create({ name: 'Test', plan: 'free', credits: 0 });
    const owner = await test.owner({ accountId });
    expect(await askFor(owner, '/me')).toMatchObject(refusal('no_active_plan'));
  });

  it('a user who does not belong to the account, and an account that does not exist', async () => {
    const { owner } = await openAccount();
    const other = await openAccount();
    for (const stranger of [
      { accountId: other.owner.accountId, userId: owner.userId },
      { accountId: owner.accountId, userId: newId('user') },
      { accountId: newId('account') as AccountId, userId: owner.userId },
    ]) {
      expect(await askFor(stranger, '/me')).toMatchObject(refusal('user_gone'));
    }
  });

  it('a request without a token of the tool server', async () => {
    const { customer, owner } = await openAccount();
    const withLedgers = { authorization: `Bearer ${await tokenOf('credit-ledger')}` };
    expect(await askFor(owner, '/me', {}, withLedgers)).toMatchObject({
      status: 403,
      body: { code: 'caller_not_allowed' },
    });
    const withKey = { authorization: '', 'x-api-key': customer.apiKey };
    expect(await askFor(owner, '/me', {}, withKey)).toMatchObject({
      status: 401,
      body: { code: 'invalid_service_token' },
    });
  });

  it('a path that names no account', async () => {
    const nowhere = { accountId: 'x', userId: 'y' };
    expect(await askFor(nowhere, '/me')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

it('get the documented answers of the sandbox without a charge, which a live key does not', async () => {
  const { customer, owner } = await openAccount({ credits: 5 });
  const ask = (name: string) =>
    askFor(
      owner,
      '/validate-single-email?details=true',
      posting(JSON.stringify({ email: `${name}@${sandboxDomain}` })),
    );
  const answer = await ask('greylisted');
  expect([answer.status, answer.headers.get('x-credits-remaining')]).toEqual([200, '5']);
  expect(answer.body).toMatchObject({
    result: 'unknown',
    credits_consumed: false,
    details: { reason: 'greylisted' },
  });
  expect((await ask('ok')).body).toMatchObject({ result: 'ok', credits_consumed: false });
  const refused = await ask('error-402');
  expect([refused.status, refused.body['code']]).toEqual([402, 'credits_exhausted']);
  const mistyped = await ask('greylist');
  expect([mistyped.status, mistyped.body['code']]).toEqual([400, 'not_a_sandbox_address']);
  expect(await customer.credits()).toBe(5);
  // Anyone could type this address into a form that a live key guards.
  const live = await customer.validate(`ok@${sandboxDomain}`);
  expect(live.body).toMatchObject({ valid: false });
});

it('find profiles of the sandbox without a charge, which a live key does not', async () => {
  const { customer, owner } = await openAccount({ credits: 5 });
  const ada = posting(JSON.stringify({ profile_url: `people.${sandboxDomain}/ada-birch` }));
  const found = await askFor(owner, '/profile-enrichment', ada);
  expect([found.status, found.headers.get('x-credits-remaining')]).toEqual([200, '5']);
  expect(found.body).toMatchObject({ full_name: 'Ada Birch', is_synthetic: true });
  const live = await customer.send('/profile-enrichment', ada);
  expect([live.status, live.body['code']]).toEqual([400, 'invalid_profile_url']);
  expect(await customer.credits()).toBe(5);
});

describe('the operations of the application for assistants', () => {
  const rows = (addresses: readonly string[]) => posting(JSON.stringify(addresses));
  const addresses = ['ada@ordinary.example', 'no address', 'grace@ordinary.example'];

  async function newJob(owner: Person, headers: Record<string, string> = {}, given = addresses) {
    const { status, body } = await askFor(owner, '/validation-jobs?name=A%20list', rows(given), headers);
    expect([status, body['code']]).toEqual([201, undefined]);
    return body;
  }

  it('act for the user who connected the assistant, and count in the account’s rate window', async () => {
    const { customer, owner } = await openAccount();
    const job = await newJob(owner);
    expect(job).toMatchObject({ name: 'A list', state: 'ready', cost_max: 2, created_by: owner.userId });
    const seen = await askFor(owner, `/validation-jobs/${job['job_id']}`);
    expect(seen.body).toEqual((await customer.send(`/validation-jobs/${job['job_id']}`, {})).body);
    expect(seen.headers.get('x-ratelimit-limit')).toBe('1000');
  });

  it('start a job only within `credits_max`, and once for an Idempotency-Key', async () => {
    const { customer, owner } = await openAccount({ credits: 5 });
    const { job_id: jobId } = await newJob(owner);
    const start = (creditsMax: number, headers = {}) =>
      askFor(owner, `/validation-jobs/${jobId}/start?credits_max=${creditsMax}`, { method: 'POST' }, headers);
    expect(await start(1)).toMatchObject({ status: 409, body: { code: 'price_above_limit' } });
    expect(await customer.credits()).toBe(5);
    const key = { 'idempotency-key': crypto.randomUUID() };
    expect(await start(2, key)).toMatchObject({ status: 202, body: { reserved: 2 } });
    expect(await start(2, key)).toMatchObject({ status: 202, body: { reserved: 2 } });
    expect(await start(3, key)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await start(2)).toMatchObject({ status: 409, body: { code: 'job_started' } });
  });

  it('list rows with cursors, without cells if the client does not need them', async () => {
    const { owner } = await openAccount();
    const path = `/validation-jobs/${(await newJob(owner))['job_id']}/rows?limit=2`;
    const first = await askFor(owner, path);
    expect(first.body['rows']).toMatchObject([{ row: 1, cells: ['ada@ordinary.example'] }, { row: 2 }]);
    const second = await askFor(owner, `${path}&with_cells=false&cursor=${first.body['next_cursor']}`);
    expect(second.body['rows']).toMatchObject([{ row: 3, cells: [], email: 'grace@ordinary.example' }]);
  });

  it('show, start and list no job of another account', async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    const { job_id: jobId } = await newJob(one.owner);
    for (const [path, init] of [
      [`/validation-jobs/${jobId}`, {}],
      [`/validation-jobs/${jobId}/rows`, {}],
      [`/validation-jobs/${jobId}/start`, { method: 'POST' }],
    ] as const) {
      expect(await askFor(other.owner, path, init)).toMatchObject({
        status: 404,
        body: { code: 'job_not_found' },
      });
    }
  });

  it('refuse a user who is gone, an account without a plan, and a request without a token of the tool server', async () => {
    const { owner } = await openAccount();
    const path = `/validation-jobs/${newId('validationJob')}`;
    expect(await askFor({ ...owner, userId: newId('user') }, path)).toMatchObject({
      status: 401,
      body: { code: 'assistant_refused', detail: assistantRefusals.user_gone },
    });
    const { accountId } = await test.accounts.create({ name: 'Test', plan: 'free', credits: 0 });
    expect(await askFor(await test.owner({ accountId }), path)).toMatchObject({
      status: 401,
      body: { code: 'assistant_refused', detail: assistantRefusals.no_active_plan },
    });
    const withLedgers = { authorization: `Bearer ${await tokenOf('credit-ledger')}` };
    expect((await askFor(owner, path, {}, withLedgers)).status).toBe(403);
  });

  it('work in the account’s sandbox if the tool server names it, and in no other account', async () => {
    const { customer, owner } = await openAccount({ credits: 5 });
    const accountId = owner.accountId as AccountId;
    const named = (account: AccountId) => ({ 'x-mailproof-account': account });
    const sandbox = named(sandboxAccountOf(accountId));
    const {
      job_id: jobId,
      test: isTest,
      cost_max: costMax,
    } = await newJob(owner, sandbox, [`ok@${sandboxDomain}`, `greylisted@${sandboxDomain}`]);
    expect([isTest, costMax]).toEqual([true, 0]);
    expect((await askFor(owner, `/validation-jobs/${jobId}`)).status).toBe(404);
    const started = await askFor(owner, `/validation-jobs/${jobId}/start`, { method: 'POST' }, sandbox);
    expect(started.status).toBe(202);
    expect(await customer.credits()).toBe(5);
    const other = (await openAccount()).owner.accountId as AccountId;
    for (const account of [other, sandboxAccountOf(other)]) {
      expect(await askFor(owner, `/validation-jobs/${jobId}`, {}, named(account))).toMatchObject({
        status: 409,
        body: { code: 'other_account' },
      });
    }
  });
});
