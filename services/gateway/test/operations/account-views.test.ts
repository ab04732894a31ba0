import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  downloadStatement,
  limits,
  type Operation,
  problemDocument,
  renameAccount,
  uploadOutcomes,
  uploadOutcomesSignedIn,
  viewBalance,
  viewProfile,
  viewReceipt,
  viewReceipts,
  viewStatement,
  viewUsage,
} from '@mailproof/shared-types';
import pg from 'pg';
import { type Customer, openTestHouse, type Person, type TestHouse, validating } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;
let customer: Customer;
let owner: Person;
let member: Person;
/** A user of another account, with their own credits. */
let otherCustomer: Customer;
let other: Person;

const validations = 5;

beforeAll(async () => {
  test = await openTestHouse({
    killable: ['credit-ledger'],
    only: validating,
    env: { gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' } },
  });
  customer = await test.open({ name: 'Views', credits: 100, requestsPerSecond: 1_000 });
  otherCustomer = await test.open({ name: 'Others', credits: 50, requestsPerSecond: 1_000 });
  owner = await (await test.owner({ accountId: customer.accountId })).signIn();
  member = await (await test.owner({ accountId: customer.accountId })).signIn();
  other = await (await test.owner({ accountId: otherCustomer.accountId })).signIn();
  const database = new pg.Client({ connectionString: test.house.databaseUrls['gateway']?.databaseUrl ?? '' });
  await database.connect();
  await database.query("UPDATE gateway.app_user SET role = 'member' WHERE user_id = $1", [member.userId]);
  await database.end();
  for (let number = 0; number < validations; number += 1) {
    expect((await customer.validate(`ada+${number}@ordinary.example`)).status).toBe(200);
  }
  // Charges are collected after the answers.
  await until(
    'the charges',
    async () => (await owner.get('/balance')).body,
    ({ available, held }) => available === 100 - validations && held === 0,
  );
});

afterAll(() => test?.stop());

async function expectProblem(
  answer: Promise<{ status: number; body: unknown }>,
  status: number,
  code: string,
) {
  const { status: given, body } = await answer;
  expect([given, problemDocument.parse(body).code]).toEqual([status, code]);
}

const pathOf = ({ path }: Operation) => path.slice('/app/v1'.length);

/** No read operation accepts a parameter that it does not know. */
const refusesMore = (path: string) =>
  expectProblem(owner.get(`${path}${path.includes('?') ? '&' : '?'}more=1`), 400, 'invalid_request');

const refusesStrangers = (path: string) => expectProblem(test.stranger().get(path), 401, 'not_signed_in');

async function entriesOf(person: Person, query = ''): Promise<Record<string, unknown>[]> {
  const entries: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await person.get(`/statement?limit=3${query}${cursor}`);
    expect(status).toBe(200);
    const page = viewStatement.success.schema.parse(body);
    entries.push(...page.entries);
    if (page.next_cursor === undefined) {
      return entries;
    }
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** The text of an answer that is not JSON. */
async function download(person: Person, path: string) {
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`${test.house.gatewayUrls[0]}/app/v1${path}`, {
    headers: { cookie },
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describeOperation(viewProfile, {
  badInput: async () => refusesMore(pathOf(viewProfile)),
  noCredentials: async () => refusesStrangers(pathOf(viewProfile)),
  async success() {
    const { status, body } = await member.get('/profile');
    expect([status, viewProfile.success.schema.strict().parse(body)]).toEqual([
      200,
      {
        user_id: member.userId,
        email: member.email,
        role: 'member',
        account: {
          account_id: customer.accountId,
          name: expect.any(String),
          plan: 'custom',
          plan_title: 'Custom',
          api_access: true,
          requests_per_second: 1_000,
        },
      },
    ]);
  },
  async anotherTenant() {
    expect((await other.get('/profile')).body).toMatchObject({
      account: { account_id: otherCustomer.accountId },
    });
  },
});

describeOperation(renameAccount, {
  async success() {
    const { status, body } = await owner.put('/account/name', { name: '  Renamed & Co. ' });
    expect([status, body]).toMatchObject([200, { account: { name: 'Renamed & Co.' } }]);
    expect((await member.get('/profile')).body).toMatchObject({ account: { name: 'Renamed & Co.' } });
  },
  async badInput() {
    const names = ['', ' ', 'x'.repeat(201), 'a\u0000b', 'a\nb', 'a\u202eb', 'a\u2066b'];
    for (const body of [{}, ...names.map(name => ({ name }))]) {
      await expectProblem(owner.put('/account/name', body), 400, 'invalid_request');
    }
  },
  async noCredentials() {
    await expectProblem(test.stranger().put('/account/name', { name: 'Mine' }), 401, 'not_signed_in');
    await expectProblem(member.put('/account/name', { name: 'Mine' }), 403, 'owner_required');
  },
  async anotherTenant() {
    await other.put('/account/name', { name: 'Theirs' });
    expect((await owner.get('/profile')).body).not.toMatchObject({ account: { name: 'Theirs' } });
  },
});

describeOperation(viewBalance, {
  badInput: async () => refusesMore(pathOf(viewBalance)),
  noCredentials: async () => refusesStrangers(pathOf(viewBalance)),
  async success() {
    const { status, body } = await member.get('/balance');
    const balance = viewBalance.success.schema.parse(body);
    expect([status, balance]).toMatchObject([
      200,
      { available: 95, held: 0, grants: [{ amount: 100, available: 95, held: 0, spent: 5, expired: 0 }] },
    ]);
  },
  async anotherTenant() {
    expect((await other.get('/balance')).body).toMatchObject({ available: 50, grants: [{ amount: 50 }] });
  },
});

describeOperation(viewStatement, {
  success: async () => {
    const entries = await entriesOf(member);
    const ids = entries.map(({ entry_id }) => String(entry_id));
    for (const id of ids) {
      expect(id).toMatch(/^entry_[0-9a-f]{32}$/);
    }
    expect(new Set(ids).size).toBe(1 + 2 * validations);
    expect(entries.at(-1)).toMatchObject({ kind: 'grant', change: 100, balance_after: 100 });
    expect(entries[0]).toMatchObject({
      kind: 'settle',
      description: '1 credit spent, 0 returned',
      operation: 'validate-single-email',
      run_id: expect.stringMatching(/^req_/),
      request_id: expect.stringMatching(/^req_/),
      change: 0,
      held_change: -1,
      balance_after: 95,
      held_after: 0,
    });
  },
  async badInput() {
    await refusesMore(pathOf(viewStatement));
    for (const query of ['limit=0', 'limit=201', 'from=yesterday', 'cursor=', 'movements=all']) {
      await expectProblem(owner.get(`/statement?${query}`), 400, 'invalid_request');
    }
    await expectProblem(owner.get('/statement?cursor=nothing'), 400, 'invalid_cursor');
  },
  noCredentials: async () => refusesStrangers(pathOf(viewStatement)),
  async anotherTenant() {
    expect(await entriesOf(other)).toHaveLength(1);
  },
});

describe('a statement', () => {
  it('keeps to its period', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await entriesOf(owner, `&from=${tomorrow}`)).toEqual([]);
    expect(await entriesOf(owner, `&until=${tomorrow}`)).toHaveLength(1 + 2 * validations);
  });

  it('is read and downloaded by halves: what work did with credits, and what came without it', async () => {
    expect(await entriesOf(owner, '&movements=grants')).toMatchObject([{ kind: 'grant' }]);
    expect(await entriesOf(owner, '&movements=spending')).toHaveLength(2 * validations);
    const { text } = await download(owner, '/statement.csv?movements=grants');
    expect(text.trimEnd().split('\r\n')).toEqual([expect.anything(), expect.stringContaining(',grant,')]);
  });

  it('reveals nothing about the activity of the whole installation', async () => {
    const [page, again] = await Promise.all([
      member.get('/statement?limit=3'),
      member.get('/statement?limit=3'),
    ]);
    const { entries, next_cursor: cursor = '' } = viewStatement.success.schema.parse(page.body);
    // An entry keeps its name; a cursor is sealed again each time, and only this service can read it.
    expect(viewStatement.success.schema.parse(again.body).entries).toEqual(entries);
    expect(cursor).toMatch(/^[\w-]+(\.[\w-]+){4}$/);
    for (const part of cursor.split('.')) {
      expect(Buffer.from(part, 'base64url').toString('latin1')).not.toMatch(/entries:\d+/);
    }
    const rows = (await download(member, '/statement.csv')).text.split('\r\n');
    expect(rows[1]).toMatch(new RegExp(`^${entries[0]?.entry_id},`));
    // A list that takes a position from the client could otherwise be used to probe positions of this one.
    for (const list of ['/receipts', '/security-events', '/validation-jobs']) {
      await expectProblem(owner.get(`${list}?cursor=${cursor}`), 400, 'invalid_cursor');
    }
    // Neither the previous release's format nor a cursor of another account is accepted.
    for (const made of [Buffer.from('entries:3').toString('base64url'), cursor]) {
      await expectProblem(other.get(`/statement?cursor=${made}`), 400, 'invalid_cursor');
    }
    expect((await owner.get(`/statement?cursor=${cursor}`)).status).toBe(200);
  });

  it('neither skips nor repeats an entry while credits move', async () => {
    const busy = await test.open({ credits: 100, requestsPerSecond: 1_000 });
    const person = await (await test.owner({ accountId: busy.accountId })).signIn();
    for (let number = 0; number < 4; number += 1) {
      await busy.validate(`before+${number}@ordinary.example`);
    }
    const before = await until(
      'the first charges',
      () => entriesOf(person),
      entries => entries.length === 9,
    );
    let isMoving = true;
    const moving = (async () => {
      for (let number = 0; isMoving; number += 1) {
        await busy.validate(`during+${number}@ordinary.example`);
      }
    })();
    const seen = (await entriesOf(person)).map(({ entry_id }) => entry_id);
    isMoving = false;
    await moving;
    expect(new Set(seen).size).toBe(seen.length);
    expect(before.every(({ entry_id }) => seen.includes(entry_id))).toBe(true);
  });
});

describeOperation(downloadStatement, {
  badInput: async () => refusesMore(pathOf(downloadStatement)),
  noCredentials: async () => refusesStrangers(pathOf(downloadStatement)),
  async success() {
    const { status, headers, text } = await download(member, '/statement.csv');
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="statement.csv"',
    ]);
    const rows = text.split('\r\n');
    expect(rows).toHaveLength(1 + (1 + 2 * validations) + 1);
    expect(rows[0]).toContain('entry_id,at,kind,description');
    expect(rows[1]).toMatch(
      /,settle,"1 credit spent, 0 returned",validate-single-email,req_\w+,req_\w+,0,-1,95,0$/,
    );
  },
  async anotherTenant() {
    expect((await download(other, '/statement.csv')).text.split('\r\n')).toHaveLength(3);
  },
});

describeOperation(viewReceipts, {
  async success() {
    const first = viewReceipts.success.schema.parse((await member.get('/receipts?limit=3')).body);
    const cursor = encodeURIComponent(first.next_cursor ?? '');
    const second = viewReceipts.success.schema.parse(
      (await member.get(`/receipts?limit=3&cursor=${cursor}`)).body,
    );
    const receipts = [...first.receipts, ...second.receipts];
    expect(second.next_cursor).toBeUndefined();
    expect(new Set(receipts.map(({ run_id }) => run_id)).size).toBe(validations);
    expect(receipts.every(({ reserved, spent, returned }) => reserved === spent + returned)).toBe(true);
  },
  async badInput() {
    await refusesMore(pathOf(viewReceipts));
    await expectProblem(owner.get('/receipts?cursor=nothing'), 400, 'invalid_cursor');
  },
  noCredentials: async () => refusesStrangers(pathOf(viewReceipts)),
  async anotherTenant() {
    expect((await other.get('/receipts')).body).toEqual({ receipts: [] });
  },
});

async function firstRun(): Promise<string> {
  const { receipts } = viewReceipts.success.schema.parse((await owner.get('/receipts')).body);
  return receipts[0]?.run_id ?? '';
}

describeOperation(viewReceipt, {
  async success() {
    const run = await firstRun();
    const { status, body } = await member.get(`/receipts/${encodeURIComponent(run)}`);
    expect([status, viewReceipt.success.schema.parse(body)]).toMatchObject([
      200,
      { run_id: run, state: 'settled', reserved: 1, spent: 1, returned: 0, refunded: 0 },
    ]);
  },
  async badInput() {
    await expectProblem(owner.get(`/receipts/${'x'.repeat(129)}`), 400, 'invalid_request');
    await expectProblem(owner.get('/receipts/%00'), 400, 'invalid_request');
    await expectProblem(owner.get('/receipts/never-ran'), 404, 'receipt_not_found');
  },
  noCredentials: async () => refusesStrangers('/receipts/some-run'),
  async anotherTenant() {
    await expectProblem(
      other.get(`/receipts/${encodeURIComponent(await firstRun())}`),
      404,
      'receipt_not_found',
    );
  },
});

const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const around = `/usage?from=${dayFromNow(-1)}&until=${dayFromNow(1)}`;

describeOperation(viewUsage, {
  async success() {
    const { status, body } = await member.get(around);
    const usage = viewUsage.success.schema.parse(body);
    expect([status, usage.spent]).toEqual([200, validations]);
    expect(usage.days.every(({ operation }) => operation === 'validate-single-email')).toBe(true);
    expect(usage.days.reduce((sum, { spent }) => sum + spent, 0)).toBe(validations);
    expect((await member.get('/usage')).body).toMatchObject({
      from: dayFromNow(1 - limits.usageDaysDefault),
      until: dayFromNow(0),
      spent: validations,
    });
  },
  async badInput() {
    for (const query of [
      '?from=2026-03-01',
      '?until=2026-03-01',
      '?from=2026-03-02&until=2026-03-01',
      '?from=2026-02-30&until=2026-03-01',
      `?from=${dayFromNow(-limits.usageDaysMax)}&until=${dayFromNow(0)}`,
    ]) {
      await expectProblem(owner.get(`/usage${query}`), 400, 'invalid_request');
    }
    const widest = `?from=${dayFromNow(1 - limits.usageDaysMax)}&until=${dayFromNow(0)}`;
    expect((await owner.get(`/usage${widest}`)).status).toBe(200);
  },
  noCredentials: async () => refusesStrangers(around),
  async anotherTenant() {
    expect((await other.get(around)).body).toMatchObject({ spent: 0, days: [] });
  },
});

const csv = `email,outcome\nada@upload.example,delivered\nbob@upload.example,bounced\n`;

function upload(person: Person, body: string, type = 'text/csv') {
  return person.post('/outcomes', body, { 'content-type': type });
}

describeOperation(uploadOutcomesSignedIn, {
  async success() {
    const { status, body } = await upload(member, csv);
    expect([status, uploadOutcomes.success.schema.parse(body)]).toMatchObject([
      200,
      { rows: 2, recorded: 2, repeated: 0, refused: 0 },
    ]);
    const byKey = await customer.send('/outcomes', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csv,
    });
    // Through either interface, the outcome is the account's and counts once.
    expect(byKey.body).toMatchObject({ rows: 2, recorded: 0, repeated: 2 });
  },
  async badInput() {
    await expectProblem(upload(member, 'no,header\n1,2\n'), 400, 'invalid_request');
    await expectProblem(upload(member, csv, 'application/json'), 415, 'unsupported_media_type');
  },
  async noCredentials() {
    await expectProblem(upload(test.stranger(), csv), 401, 'not_signed_in');
    await expectProblem(
      member.post('/outcomes', csv, { 'content-type': 'text/csv', 'sec-fetch-site': 'cross-site' }),
      403,
      'cross_site_request',
    );
  },
  async anotherTenant() {
    expect((await upload(other, csv)).body).toMatchObject({ recorded: 2, repeated: 0 });
  },
});

describe('while the ledger is away', () => {
  it('views of credits answer 503, the download too, and the profile answers', async () => {
    await test.house.services['credit-ledger']?.stop();
    for (const path of ['/balance', '/statement', '/statement.csv', '/receipts', '/receipts/run', around]) {
      await expectProblem(owner.get(path), 503, 'service_unavailable');
    }
    await expectProblem(owner.get('/account/export'), 503, 'service_unavailable');
    expect((await owner.get('/profile')).status).toBe(200);
  });
});
