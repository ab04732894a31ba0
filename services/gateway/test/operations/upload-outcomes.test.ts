import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiKey, outcomeUpload, problemDocument, uploadOutcomes } from '@mailproof/shared-types';
import pg from 'pg';
import { type Customer, openSharedHouse, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;
let customer: Customer;
let other: Customer;
let engineDatabase: pg.Pool;

beforeAll(async () => {
  test = await openSharedHouse();
  customer = await test.open({ credits: 100, requestsPerSecond: 1_000 });
  other = await test.open({ credits: 100, requestsPerSecond: 1_000 });
  engineDatabase = new pg.Pool({
    connectionString: test.house.databaseUrls['validation']?.databaseUrl ?? '',
  });
});

afterAll(async () => {
  await engineDatabase?.end();
  await test?.stop();
});

async function upload(
  csv: string | Uint8Array,
  { apiKey = customer.apiKey, type = 'text/csv' }: { apiKey?: string; type?: string } = {},
) {
  const response = await fetch(`${test.house.gatewayUrls[0]}/api/v1/outcomes`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, ...(type !== '' && { 'content-type': type }) },
    body: csv,
    signal: AbortSignal.timeout(60_000),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const resultFor = async (who: Customer, email: string) => (await who.validate(email)).body['result'];

function expectProblem(answer: { status: number; body: unknown }, status: number, code: string): string {
  const problem = problemDocument.parse(answer.body);
  expect([answer.status, problem.code]).toEqual([status, code]);
  return problem.detail ?? '';
}

/** Each with words that the answer contains. */
const unreadableFiles = [
  ['', 'body is missing'],
  ['\n\n\n', 'empty'],
  ['ada@a.example,delivered', 'no column for the address'],
  [`email,outcome\n"ada@a.example,delivered${'\nx,y'.repeat(20_000)}`, 'not closed'],
  [String.fromCharCode(1, 2, 3, 255), 'no column'],
  [String.fromCharCode(0, 1, 2, 3, 255), 'U+0000 near line 1'],
  [Buffer.from('email,outcome\nada\xff@a.example,delivered\n', 'latin1'), 'not valid UTF-8 near line 2'],
  [Buffer.from('email,outcome\nada@a.example,delivered\nx\xc3', 'latin1'), 'not valid UTF-8'],
] as const;

describeOperation(uploadOutcomes, {
  /** Records valid rows and reports the others by line and reason. */
  async success() {
    const csv = [
      'Recipient;Event;Date;SMTP code;Diagnostic',
      `ada@upload.example;delivered;${daysAgo(2)};;`,
      `bob@upload.example;hard bounce;${daysAgo(2)};550;"5.1.1 User unknown; rejecting"`,
      `;delivered;${daysAgo(2)};;`,
      '',
      `not an address;delivered;${daysAgo(2)};;`,
      `eve@upload.example;eaten;${daysAgo(2)};;`,
      'eve@upload.example;delivered;07/31/2026;;',
      `eve@upload.example;delivered;${daysAgo(-9)};;`,
      `eve@upload.example;bounced;${daysAgo(1)};;"554 5.7.1 blocked\nby policy"`,
    ].join('\r\n');
    const { status, headers, body } = await upload(`\ufeff${csv}`);
    expect(status).toBe(200);
    expect(outcomeUpload.strict().parse(body)).toEqual({
      rows: 8,
      recorded: 3,
      repeated: 0,
      refused: 5,
      kinds: {
        delivered: 1,
        replied: 0,
        mailbox_missing: 1,
        mailbox_disabled: 0,
        mailbox_full: 0,
        mailbox_rate_limited: 0,
        not_about_mailbox: 1,
      },
      refusals: [
        { line: 4, reason: 'email_missing', detail: expect.any(String) },
        { line: 6, reason: 'invalid_email_address', detail: expect.any(String) },
        { line: 7, reason: 'unknown_outcome', detail: expect.stringContaining('"eaten"') },
        { line: 8, reason: 'invalid_date', detail: expect.stringContaining('"07/31/2026"') },
        { line: 9, reason: 'in_the_future', detail: expect.any(String) },
      ],
    });
    expect(headers.get('x-ratelimit-limit')).toBe('1000');
    expect((await upload(csv)).body).toMatchObject({ recorded: 0, repeated: 3 });
  },
  async badInput() {
    for (const [csv, words] of unreadableFiles) {
      expect(expectProblem(await upload(csv), 400, 'invalid_request')).toContain(words);
    }
    for (const type of [
      'application/json',
      'multipart/form-data; boundary=x',
      'text/csv; charset=iso-8859-1',
    ]) {
      expectProblem(await upload('email,outcome\n', { type }), 415, 'unsupported_media_type');
    }
  },
  async noCredentials() {
    expectProblem(await upload('email,outcome\n', { apiKey: '' }), 401, 'missing_api_key');
    expectProblem(await upload('email,outcome\n', { apiKey: 'hunter2' }), 401, 'invalid_api_key');
  },
  /** Confirms an address only for the account that uploaded it. */
  async anotherTenant() {
    const email = 'ada@catch-all.example';
    expect(await resultFor(other, email)).toBe('catch_all');
    const { body } = await upload(`email,outcome,date\n${email},delivered,${daysAgo(3)}\n`);
    expect(body).toMatchObject({ recorded: 1 });
    expect(await resultFor(customer, email)).toBe('catch_all_validated');
    expect(await resultFor(other, email)).toBe('catch_all');
  },
});

describe('upload-outcomes', () => {
  it('takes many rows in one go, and keeps no address of them', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `a${index}@many.example,delivered,2026-01-01`);
    const credits = await customer.credits();
    const { body } = await upload(`email,outcome,date\n${rows.join('\n')}`);
    expect(body).toMatchObject({ rows: 20_000, recorded: 20_000, refused: 0 });
    expect(await customer.credits()).toBe(credits);
    const { rows: kept } = await engineDatabase.query(
      "SELECT * FROM outcome WHERE account_id = $1 AND observed_at = '2026-01-01T00:00:00Z' LIMIT 50",
      [customer.accountId],
    );
    expect(kept).toHaveLength(50);
    expect(JSON.stringify(kept)).not.toContain('many.example');
  });

  it('judges the rows of a test key in the same way, and stores none', async () => {
    const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
    const made = await owner.post('/api-keys', { name: 'CI', mode: 'test', scopes: ['validation'] });
    const { api_key: apiKey } = createApiKey.success.schema.parse(made.body);
    const counted = async () =>
      (await engineDatabase.query('SELECT count(*)::int AS n FROM outcome')).rows[0];
    const csv = 'email,outcome\nada@sandbox.mailproof.test,delivered\nbob@sandbox.mailproof.test,eaten\n';
    const before = await counted();
    for (const _turn of [1, 2]) {
      const { status, body } = await upload(csv, { apiKey });
      expect(status).toBe(200);
      expect(body).toMatchObject({ rows: 2, recorded: 1, repeated: 0, refused: 1, kinds: { delivered: 1 } });
    }
    expect(await counted()).toEqual(before);
  });

  it('refuses 10 MB and one octet', async () => {
    const csv = new Uint8Array(10_000_001).fill(0x61);
    expectProblem(await upload(csv), 413, 'body_too_large');
  });

  it('refuses row 100,001, and says that the others are recorded', async () => {
    // The rows are identical, so they count once.
    const csv = `email,outcome,date\n${'a@rows.example,replied,2026-01-02\n'.repeat(100_001)}`;
    expect(expectProblem(await upload(csv), 413, 'body_too_large')).toContain(
      'The rows before this one are recorded',
    );
    expect((await upload('email,outcome,date\na@rows.example,replied,2026-01-02')).body).toMatchObject({
      recorded: 0,
      repeated: 1,
    });
  });

  it('keeps what came in before its client went away', async () => {
    const { hostname, port } = new URL(test.house.gatewayUrls[0] ?? '');
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST /api/v1/outcomes HTTP/1.1\r\nhost: test\r\nx-api-key: ${customer.apiKey}\r\n` +
        'content-type: text/csv\r\ncontent-length: 9000000\r\n\r\n' +
        `email,outcome,date\n${Array.from({ length: 1_500 }, (_, index) => `b${index}@gone.example,delivered,2026-01-03\n`).join('')}`,
    );
    const recorded = async () =>
      (
        await engineDatabase.query(
          "SELECT count(*)::int AS count FROM outcome WHERE account_id = $1 AND observed_at = '2026-01-03T00:00:00Z'",
          [customer.accountId],
        )
      ).rows[0]?.count as number;
    await until('the first thousand', recorded, count => count >= 1_000);
    socket.destroy();
    // The gateway is unaffected, and a second attempt counts the rest.
    const csv = `email,outcome,date\n${Array.from({ length: 1_500 }, (_, index) => `b${index}@gone.example,delivered,2026-01-03\n`).join('')}`;
    expect((await upload(csv)).body).toMatchObject({ rows: 1_500, recorded: 500, repeated: 1_000 });
  });
});
