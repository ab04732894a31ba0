import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { problemDocument } from '@mailproof/shared-types';
import pg from 'pg';
import { type Answer, type Customer, openTestHouse, type TestHouse, validating } from './house.ts';
import { until } from './until.ts';

let test: TestHouse;
let customer: Customer;
let database: pg.Pool;

beforeAll(async () => {
  test = await openTestHouse({
    only: validating,
    replicas: { gateway: 2 },
    env: {
      'validation-engine': { VALIDATION_MEMORY_DECIDED_SECONDS: '0', VALIDATION_MEMORY_DOMAIN_SECONDS: '0' },
    },
  });
  database = new pg.Pool({
    connectionString: test.house.databaseUrls['gateway']?.migrationDatabaseUrl ?? '',
  });
});

afterAll(async () => {
  await database?.end();
  await test?.stop();
});

beforeEach(async () => {
  customer = await test.open({ credits: 5, requestsPerSecond: 1_000 });
});

function ask(key: string, email = 'ada@ordinary.example', path = '/validate-single-email'): Promise<Answer> {
  return customer.post(path, JSON.stringify({ email }), { 'idempotency-key': key });
}

function expectProblem({ status, body }: Answer, expected: number, code: string): void {
  expect([status, problemDocument.parse(body).code]).toEqual([expected, code]);
}

describe('a request with an Idempotency-Key', () => {
  it('is answered again by any gateway with the same body, and paid once', async () => {
    const key = randomUUID();
    const first = await ask(key);
    expect(first).toMatchObject({ status: 200, body: { result: 'ok', credits_consumed: true } });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (let turn = 0; turn < 3; turn += 1) {
      const again = await ask(key);
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.headers.get('x-credits-remaining')).toBe('4');
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    }
    expect(await customer.credits()).toBe(4);
  });

  it('counts in the rate window each time, with its own headers', async () => {
    const slow = await test.open({ credits: 5 });
    const headers = { 'idempotency-key': randomUUID() };
    const body = '{"email":"ada@ordinary.example"}';
    await slow.post('/validate-single-email', body, headers);
    const burst = await Promise.all(
      Array.from({ length: 100 }, () => slow.post('/validate-single-email', body, headers)),
    );
    expect(burst.some(({ status }) => status === 429)).toBe(true);
    const replayed = burst.find(({ status }) => status === 200);
    expect(Number(replayed?.headers.get('x-ratelimit-remaining'))).toBeLessThan(10);
  });

  it('distinguishes requests that differ in any part', async () => {
    const key = randomUUID();
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key, ' ada@ordinary.example ')).status).toBe(200);
    expectProblem(await ask(key, 'grace@ordinary.example'), 422, 'idempotency_key_reused');
    const withDetails = await ask(key, undefined, '/validate-single-email?details=true');
    expectProblem(withDetails, 422, 'idempotency_key_reused');
    expect((await ask(key, undefined, '/validate-single-email?details=false')).status).toBe(200);
    expect(await customer.credits()).toBe(4);
  });

  it('is refused while the first is in flight, which is not disturbed', async () => {
    const key = randomUUID();
    const first = ask(key, 'ada@tarpit.example');
    const began = async () =>
      (await database.query('SELECT FROM idempotency_record WHERE account_id = $1', [customer.accountId]))
        .rowCount;
    await until('the first has started', began, count => count === 1);
    const second = await ask(key, 'ada@tarpit.example');
    expectProblem(second, 409, 'idempotency_key_in_use');
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await first).toMatchObject({ status: 200, body: { result: 'ok' } });
    expect((await ask(key, 'ada@tarpit.example')).headers.get('idempotent-replayed')).toBe('true');
    expect(await customer.credits()).toBe(4);
  });

  it('is answered by one of two where the second took over from a first that was paused past its time', async () => {
    const key = randomUUID();
    const first = ask(key, 'ada@tarpit.example');
    const leaseOver = async () =>
      (
        await database.query('UPDATE idempotency_record SET lease_until = now() WHERE account_id = $1', [
          customer.accountId,
        ])
      ).rowCount;
    await until('the first has started', leaseOver, count => count === 1);
    const answers = await Promise.all([first, ask(key, 'ada@tarpit.example')]);
    const own = answers.filter(
      ({ headers, status }) => status === 200 && !headers.get('idempotent-replayed'),
    );
    expect(own).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 200) {
        expect(answer.body).toEqual(own[0]?.body);
      } else {
        expectProblem(answer, 409, 'idempotency_key_in_use');
      }
    }
    const again = await ask(key, 'ada@tarpit.example');
    expect([again.status, again.body]).toEqual([200, own[0]?.body]);
    await until(
      'the one charge',
      async () => customer.credits(),
      credits => credits === 4,
    );
  });

  it('is answered by one of many at once, and paid once', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(key)));
    expect(new Set(answers.map(({ status }) => status)).size).toBeLessThanOrEqual(2);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(
      answers.filter(({ headers, status }) => status === 200 && !headers.get('idempotent-replayed')),
    ).toHaveLength(1);
    expect(await customer.credits()).toBe(4);
  });

  it('runs again after a failure: for lack of credits, for a broken body', async () => {
    customer = await test.open({ requestsPerSecond: 1_000 });
    const key = randomUUID();
    expectProblem(await ask(key), 402, 'credits_exhausted');
    expectProblem(await ask(key, 'nobody'), 400, 'invalid_email_address');
    await test.accounts.requestGrant(
      customer.accountId as Parameters<typeof test.accounts.requestGrant>[0],
      3,
    );
    await until(
      'the grant',
      () => customer.credits(),
      credits => credits === 3,
    );
    expect(await ask(key)).toMatchObject({ status: 200, body: { credits_consumed: true } });
    expect(await customer.credits()).toBe(2);
  });

  it('is answered again for nothing where the first was free', async () => {
    const key = randomUUID();
    const first = await ask(key, 'ada@blocked-at-rcpt.example');
    expect(first.body).toMatchObject({ result: 'unknown', credits_consumed: false });
    expect((await ask(key, 'ada@blocked-at-rcpt.example')).body).toEqual(first.body);
    expect(await customer.credits()).toBe(5);
  });

  it('belongs to its account: the same key of another is another', async () => {
    const key = randomUUID();
    await ask(key);
    const other = await test.open({ credits: 5, requestsPerSecond: 1_000 });
    const answer = await other.post('/validate-single-email', '{"email":"grace@ordinary.example"}', {
      'idempotency-key': key,
    });
    expect(answer).toMatchObject({ status: 200, body: { email: 'grace@ordinary.example' } });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });

  it.each([
    ['empty', ''],
    ['256 characters long', 'k'.repeat(256)],
    ['beyond ASCII', 'schl\u00fcssel'],
    ['a control character', 'a\tb'],
  ])('is refused where the key is %s', async (_what, key) => {
    expectProblem(await ask(key), 400, 'invalid_request');
    expect(await customer.credits()).toBe(5);
  });

  it('takes the longest key, and any printable character', async () => {
    const key = `"~ !${'k'.repeat(250)}x`;
    expect(key).toHaveLength(255);
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).headers.get('idempotent-replayed')).toBe('true');
  });

  it('leaves nothing readable behind', async () => {
    const key = `canary-${randomUUID()}`;
    await ask(key);
    const { rows } = await database.query<{ row: string }>(
      "SELECT encode(lookup || fingerprint || sealed_answer, 'escape') || run_id || lease_id AS row FROM idempotency_record WHERE account_id = $1",
      [customer.accountId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toMatch(/canary|ada|ordinary/);
  });

  it('is optional: the same request without one is another request', async () => {
    await customer.validate('ada@ordinary.example');
    await customer.validate('ada@ordinary.example');
    expect(await customer.credits()).toBe(3);
  });
});
