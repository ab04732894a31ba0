import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  emailValidation,
  getMe,
  problemDocument,
  validateSingleEmail,
} from '@mailproof/shared-types';
import { generateApiKey } from '../../src/domain/keys/api-key.ts';
import { type Answer, type Customer, openTestHouse, type TestHouse, validating } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;
let customer: Customer;

beforeAll(async () => {
  test = await openTestHouse({ only: validating, env: { gateway: { AUTH_FAILURES_PER_MINUTE_MAX: '40' } } });
  customer = await test.open({ credits: 100, requestsPerSecond: 1_000 });
});

afterAll(() => test.stop());

function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
    status,
    type: 'application/problem+json',
  });
  const problem = problemDocument.parse(answer.body);
  expect(problem).toMatchObject({ status, code, requestId: answer.headers.get('x-request-id') });
  expect(problem.type).toBe(`${test.house.gatewayUrls[0]}/docs/errors/${code}`);
  expect(JSON.stringify(answer.body)).not.toMatch(/\.ts:|node_modules|stack/);
}

async function unchangedCredits(work: () => Promise<void>): Promise<void> {
  const before = await customer.credits();
  await work();
  expect(await customer.credits()).toBe(before);
}

/** Sends no key, a malformed key, and a key that was never issued. */
async function expectKeyNeeded(path: string, init: RequestInit): Promise<void> {
  await unchangedCredits(async () => {
    for (const apiKey of ['', 'hunter2', generateApiKey()]) {
      const answer = await customer.send(path, { ...init, headers: { 'x-api-key': apiKey } });
      expectProblem(answer, 401, apiKey === '' ? 'missing_api_key' : 'invalid_api_key');
      expect(answer.headers.get('www-authenticate')).toContain('X-Api-Key');
    }
  });
}

describeOperation(getMe, {
  /** With the four headers of the contract as whole numbers. */
  async success() {
    const sentAtMs = Date.now();
    const { status, headers, body } = await (await test.open({ credits: 7 })).me();
    expect({ status, body }).toEqual({ status: 200, body: { credits: 7 } });
    expect(headers.get('x-ratelimit-limit')).toBe('10');
    expect(headers.get('x-ratelimit-remaining')).toBe('9');
    expect(headers.get('x-credits-remaining')).toBe('7');
    const resetAtMs = Number(headers.get('x-ratelimit-reset'));
    expect(resetAtMs).toBeGreaterThan(sentAtMs);
    expect(resetAtMs).toBeLessThan(Date.now() + 1_001);
  },
  async badInput() {
    expectProblem(await customer.send('/me?more=1', {}), 400, 'invalid_request');
  },
  noCredentials: () => expectKeyNeeded('/me', {}),
  async anotherTenant() {
    const [one, other] = [await test.open({ credits: 3 }), await test.open({ credits: 4 })];
    // There is no field to name another account with; any attempt is refused or has no effect.
    const tried = await one.send(`/me?account_id=${other.accountId}`, {});
    expectProblem(tried, 400, 'invalid_request');
    expect((await one.send('/me', { headers: { 'x-account-id': other.accountId } })).body).toEqual({
      credits: 3,
    });
    expect(await other.credits()).toBe(4);
  },
});

describe('get-me', () => {
  it('answers zero to an account without credits', async () => {
    expect((await (await test.open({})).me()).body).toEqual({ credits: 0 });
  });
});

const address = { email: 'ada@ordinary.example' };

/** The fault, the body, further headers, and the answer. */
const refusedBodies = [
  ['no body', undefined, {}, 400, 'invalid_request'],
  ['malformed JSON', '{"email":', {}, 400, 'malformed_json'],
  ['a number for the address', '{"email":5}', {}, 400, 'invalid_request'],
  ['null for the address', '{"email":null}', {}, 400, 'invalid_request'],
  ['no address', '{}', {}, 400, 'invalid_request'],
  ['an array', '[]', {}, 400, 'invalid_request'],
  ['an unknown field', JSON.stringify({ ...address, extra: 1 }), {}, 400, 'invalid_request'],
  ['an address that is none', '{"email":"not an address"}', {}, 400, 'invalid_email_address'],
  ['a NUL octet in the address', '{"email":"a\\u0000b@ordinary.example"}', {}, 400, 'invalid_email_address'],
  ['a raw NUL octet in the body', '{"email":"a\0b@ordinary.example"}', {}, 400, 'malformed_json'],
  [
    '400 letters',
    JSON.stringify({ email: `${'a'.repeat(385)}@ordinary.example` }),
    {},
    400,
    'invalid_email_address',
  ],
  ['1 MB', JSON.stringify({ email: 'a'.repeat(1_000_000) }), {}, 413, 'body_too_large'],
  [
    'another media type',
    JSON.stringify(address),
    { 'content-type': 'text/plain' },
    415,
    'unsupported_media_type',
  ],
] as const;

describeOperation(validateSingleEmail, {
  /** In the contract's form, for one credit. */
  async success() {
    const before = await customer.credits();
    const { status, headers, body } = await customer.validate(' ada@ordinary.example ');
    expect(status).toBe(200);
    expect(emailValidation.strict().parse(body)).toEqual({
      email: 'ada@ordinary.example',
      valid: true,
      result: 'ok',
      mx_domain: 'ordinary.example',
      email_type: 'business',
      credits_consumed: true,
      mx_secure_email_gateway: false,
    });
    expect(headers.get('x-credits-remaining')).toBe(String(before - 1));
    expect(await customer.credits()).toBe(before - 1);
  },
  async badInput() {
    await unchangedCredits(async () => {
      for (const [, body, headers, status, code] of refusedBodies) {
        expectProblem(await customer.post('/validate-single-email', body, headers), status, code);
      }
    });
  },
  noCredentials: () => expectKeyNeeded('/validate-single-email', { method: 'POST' }),
  /** Each account pays for its own request, and no other does. */
  async anotherTenant() {
    const [one, other] = [await test.open({ credits: 3 }), await test.open({ credits: 4 })];
    await one.validate('ada@ordinary.example');
    await other.send('/validate-single-email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-account-id': one.accountId },
      body: '{"email":"ada@ordinary.example"}',
    });
    expect([await one.credits(), await other.credits()]).toEqual([2, 3]);
  },
});

describe('validate-single-email', () => {
  it('charges nothing for unknown', async () => {
    const before = await customer.credits();
    const { headers, body } = await customer.validate('ada@blocked-at-rcpt.example');
    expect(body).toMatchObject({ result: 'unknown', valid: false, credits_consumed: false });
    expect(headers.get('x-credits-remaining')).toBe(String(before));
    expect(await customer.credits()).toBe(before);
  });

  it('answers 402 with what is needed and available to an account without credits', async () => {
    const poor = await test.open({});
    const answer = await poor.validate('ada@ordinary.example');
    expectProblem(answer, 402, 'credits_exhausted');
    expect(answer.body).toMatchObject({ required: 1, available: 0 });
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('rejects an invalid address before it checks the credits', async () => {
    expectProblem(await (await test.open({})).validate('nobody'), 400, 'invalid_email_address');
  });
});

describe('every operation', () => {
  it('refuses a key with one letter changed', async () => {
    const last = customer.apiKey.at(-1) === 'x' ? 'y' : 'x';
    const answer = await customer.send('/me', {
      headers: { 'x-api-key': customer.apiKey.slice(0, -1) + last },
    });
    expectProblem(answer, 401, 'invalid_api_key');
  });

  it('refuses a key that was regenerated on the next request, while the new one works', async () => {
    const owner = await test.open({ credits: 1 });
    expect((await owner.me()).status).toBe(200);
    const made = await test.operator.keys.regenerate(owner.accountId as AccountId, new Date());
    expectProblem(await owner.me(), 401, 'revoked_api_key');
    expect((await owner.send('/me', { headers: { 'x-api-key': made?.apiKey ?? '' } })).status).toBe(200);
  });

  it('is a 404 or a 405 if it does not exist, without a key too', async () => {
    expectProblem(await customer.send('/nowhere', { headers: { 'x-api-key': '' } }), 404, 'route_not_found');
    const answer = await customer.send('/me', { method: 'POST' });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('one address', () => {
  it('must wait after too many failed attempts, while a valid key from the same address still works', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 41; count += 1) {
      const answer = await customer.send('/me', { headers: { 'x-api-key': 'guess' } });
      statuses.push(answer.status);
      if (answer.status === 429) {
        expectProblem(answer, 429, 'too_many_failed_attempts');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
    expect(statuses.at(-1)).toBe(429);
    expect((await customer.me()).status).toBe(200);
  });
});

describe('the documentation', () => {
  it('is served with the interface: the OpenAPI document, the guides, the references and a page for each error code', async () => {
    const [base] = test.house.gatewayUrls;
    const document = (await (await fetch(`${base}/openapi.json`)).json()) as { info: { version: string } };
    expect(document.info.version).toBe('1.0.0');
    for (const path of [
      '/docs/',
      '/docs/quick-start.md',
      '/docs/reference',
      '/docs/reference/app',
      '/docs/errors/rate_limited',
      '/llms.txt',
      '/status',
    ]) {
      const response = await fetch(`${base}${path}`);
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
    }
  });
});

describe('details=true', () => {
  it('explains the verdict, and is left out unless it is asked for', async () => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'Info@keys-in-dns.example' }),
    };
    const plain = await customer.send('/validate-single-email', init);
    expect(plain.body).not.toHaveProperty('details');
    const explained = await customer.send('/validate-single-email?details=true', {
      ...init,
      body: JSON.stringify({ email: 'ada@keys-in-dns.example' }),
    });
    expect(explained.body).toMatchObject({
      result: 'catch_all_validated',
      valid: true,
      details: {
        reason: 'evidence_confirms',
        normalised_email: 'ada@keys-in-dns.example',
        mx_host: 'mx.keys-in-dns.example',
        catch_all: { evidence: expect.arrayContaining([expect.objectContaining({ source: 'openpgpkey' })]) },
        sessions: [{ host: 'mx.keys-in-dns.example' }],
      },
    });
  });

  it('returns the age of a cached verdict and queries no host', async () => {
    const ask = () =>
      customer.send('/validate-single-email?details=true', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"email":"grace@ordinary.example"}',
      });
    const first = await ask();
    const second = await ask();
    expect(first.body).toMatchObject({ details: { sessions: [{}] } });
    expect(second.body).toMatchObject({ result: 'ok', credits_consumed: true, details: { sessions: [] } });
  });

  it('is refused in any other spelling', async () => {
    const answer = await customer.send('/validate-single-email?detail=true', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"ada@ordinary.example"}',
    });
    expectProblem(answer, 400, 'invalid_request');
  });
});
