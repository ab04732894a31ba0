import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestDoNotProbe } from '@mailproof/shared-types';
import { openTestHouse, type TestHouse, validating } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

const requestsPerHourMax = 6;
let test: TestHouse;

beforeAll(async () => {
  test = await openTestHouse({
    only: validating,
    replicas: { gateway: 2 },
    env: {
      gateway: { PUBLIC_REQUESTS_PER_HOUR_MAX: String(requestsPerHourMax), TRUSTED_PROXIES: 'loopback' },
    },
  });
});

afterAll(() => test.stop());

let turn = 0;

/** Sends a request without a key, from the given client address. */
async function ask(body: unknown, clientAddress: string) {
  const gateway = test.house.gatewayUrls[turn++ % test.house.gatewayUrls.length];
  const response = await fetch(`${gateway}/api/v1/do-not-probe-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': clientAddress },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

describeOperation(requestDoNotProbe, {
  /** Tells anyone what to publish, the same each time, and lists nothing before that. */
  async success() {
    const first = await ask({ name: ' Ordinary.example ' }, '192.0.2.1');
    expect(first.status).toBe(200);
    expect(requestDoNotProbe.success.schema.parse(first.body)).toEqual({
      name: 'ordinary.example',
      scope: 'domain',
      state: 'proof_wanted',
      txt_name: '_mailproof-do-not-probe.ordinary.example',
      txt_value: expect.stringMatching(/^mailproof-do-not-probe=[\w-]{32}$/),
      proof: 'absent',
    });
    expect((await ask({ name: 'ordinary.example' }, '192.0.2.1')).body).toEqual(first.body);
    const customer = await test.open({ credits: 1 });
    expect((await customer.validate('ada@ordinary.example')).body).toMatchObject({ result: 'ok' });
  },
  async badInput() {
    for (const body of [
      { name: 'no domain' },
      // A public suffix, which no one owns.
      { name: 'com' },
      { name: 'ordinary.example', scope: 'planet' },
      {},
    ]) {
      const answer = await ask(body, '192.0.2.2');
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [expect.any(Object)] });
    }
  },
  noCredentials: { cannotHappen: 'It is for operators of mail hosts, customers or not, and takes no key.' },
  anotherTenant: { cannotHappen: 'It knows no accounts: its response is the same for every caller.' },
});

describe('request-do-not-probe', () => {
  it(`takes ${requestsPerHourMax} requests an hour from one address, over all gateways`, async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ask({ name: 'ordinary.example' }, `2001:db8:1:1::${index}`)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(12 - requestsPerHourMax);
    for (const { headers, body } of refused) {
      expect(body['code']).toBe('too_many_requests');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
    }
    expect((await ask({ name: 'ordinary.example' }, '2001:db8:1:2::1')).status).toBe(200);
  });
});
