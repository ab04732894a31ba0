import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkAddress, problemDocument, viewReceipt, viewReceipts } from '@mailproof/shared-types';
import { type Answer, openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
});

afterAll(() => test?.stop());

/** The owner of a new account. */
async function someone(credits: number): Promise<Person> {
  const { accountId } = await test.open({ plan: 'custom', credits });
  return (await test.owner({ accountId })).signIn();
}

function check(person: Person, email: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return person.post('/address-checks', { email }, headers);
}

function expectProblem({ status, body }: Answer, expected: number, code: string): void {
  expect([status, problemDocument.parse(body).code]).toEqual([expected, code]);
}

async function credits(person: Person): Promise<unknown[]> {
  const { body } = await person.get('/balance');
  return [body['available'], body['held']];
}

/** Waits for the charge, which is collected after the answer. */
function untilCredits(person: Person, available: number): Promise<unknown[]> {
  return until(
    'the charge',
    () => credits(person),
    ([left, held]) => left === available && held === 0,
  );
}

describeOperation(checkAddress, {
  /** In the contract's form, for one credit, which the ledger records under the operation's name. */
  async success() {
    const person = await someone(3);
    const answer = await check(person, ' nobody@ordinary.example ');
    expect(answer.status).toBe(200);
    expect(checkAddress.success.schema.strict().parse(answer.body)).toMatchObject({
      email: 'nobody@ordinary.example',
      valid: false,
      result: 'invalid',
      credits_consumed: true,
      details: { reason: 'mailbox_missing', normalised_email: 'nobody@ordinary.example' },
    });
    expect(answer.headers.get('x-credits-remaining')).toBe('2');
    await untilCredits(person, 2);
    const { body } = await person.get('/receipts');
    const [receipt] = viewReceipts.success.schema.parse(body).receipts;
    expect(receipt).toMatchObject({ operation: 'check-address', state: 'settled', reserved: 1, spent: 1 });
    const one = await person.get(`/receipts/${receipt?.run_id}`);
    expect(viewReceipt.success.schema.parse(one.body)).toEqual(receipt);
    expect((await person.get('/usage')).body['days']).toEqual([
      expect.objectContaining({ operation: 'check-address', spent: 1 }),
    ]);
  },
  async badInput() {
    const person = await someone(1);
    for (const [body, code] of [
      ['{"email":', 'malformed_json'],
      ['{}', 'invalid_request'],
      ['{"email":5}', 'invalid_request'],
      ['{"email":"ada@ordinary.example","more":1}', 'invalid_request'],
      ['{"email":"not an address"}', 'invalid_email_address'],
    ] as const) {
      expectProblem(await person.post('/address-checks', body), 400, code);
    }
    expectProblem(
      await person.post('/address-checks?details=true', { email: 'ada@ordinary.example' }),
      400,
      'invalid_request',
    );
    expect(await credits(person)).toEqual([1, 0]);
  },
  async noCredentials() {
    expectProblem(await check(test.stranger(), 'ada@ordinary.example'), 401, 'not_signed_in');
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    expectProblem(
      await check(await someone(1), 'ada@ordinary.example', elsewhere),
      403,
      'cross_site_request',
    );
  },
  /** Each account pays for its own request; one account's key means nothing to the other. */
  async anotherTenant() {
    const [one, other] = [await someone(3), await someone(4)];
    const key = { 'idempotency-key': randomUUID() };
    await check(one, 'ada@ordinary.example', key);
    const answer = await check(other, 'ada@ordinary.example', { ...key, 'x-account-id': one.accountId });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect([await untilCredits(one, 2), await untilCredits(other, 3)]).toEqual([
      [2, 0],
      [3, 0],
    ]);
  },
});

describe('check-address', () => {
  it('serves the free plan, which has no API key', async () => {
    const { accountId } = await test.open({ plan: 'free' });
    const person = await (await test.owner({ accountId })).signIn();
    await untilCredits(person, 100);
    expect((await check(person, 'ada@ordinary.example')).body).toMatchObject({ result: 'ok' });
    await untilCredits(person, 99);
  });

  it('charges nothing for unknown', async () => {
    const person = await someone(1);
    const { body, headers } = await check(person, 'ada@blocked-at-rcpt.example');
    expect(body).toMatchObject({ result: 'unknown', credits_consumed: false });
    expect(headers.get('x-credits-remaining')).toBe('1');
    expect(await credits(person)).toEqual([1, 0]);
  });

  it('answers 402 with what is needed and available to an account without credits', async () => {
    const answer = await check(await someone(0), 'ada@ordinary.example');
    expectProblem(answer, 402, 'credits_exhausted');
    expect(answer.body).toMatchObject({ required: 1, available: 0 });
  });

  it('answers again under an Idempotency-Key, and is paid once', async () => {
    const person = await someone(3);
    const key = { 'idempotency-key': randomUUID() };
    const first = await check(person, 'ada@ordinary.example', key);
    const again = await check(person, 'ada@ordinary.example', key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectProblem(await check(person, 'grace@ordinary.example', key), 422, 'idempotency_key_reused');
    await untilCredits(person, 2);
  });
});
