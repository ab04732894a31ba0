import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { columnsOfSchema } from '@mailproof/dev-house';
import { accountTableFaults } from '@mailproof/service-kit';
import { deleteAccount, exportAccount, limits, newId, problemDocument } from '@mailproof/shared-types';
import pg from 'pg';
import { accountTables, tablesWithoutAccount } from '../../src/adapters/postgres/account-tables.ts';
import { createDeletionStore } from '../../src/adapters/postgres/deletion-store.ts';
import { type Customer, openTestHouse, type Person, type TestHouse, testPassword } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { runInProcess } from '../run-in-process.ts';
import { until } from '../until.ts';

const outcomes = limits.exportPageRowsMax + 10;

let test: TestHouse;
const databases: Record<'gateway' | 'ledger' | 'validation' | 'mcp' | 'enrichment' | 'dispatcher', pg.Pool> =
  {} as never;

beforeAll(async () => {
  test = await openTestHouse({
    inOneProcess: false,
    replicas: { gateway: 2 },
    env: { gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' } },
  });
  for (const schema of ['gateway', 'ledger', 'validation', 'mcp', 'enrichment', 'dispatcher'] as const) {
    databases[schema] = new pg.Pool({
      connectionString: test.house.databaseUrls[schema]?.migrationDatabaseUrl ?? '',
      options: `-c search_path=${schema}`,
      max: 2,
    });
  }
});

afterAll(async () => {
  await Promise.all(Object.values(databases).map(pool => pool.end()));
  await test?.stop();
});

/** An account with two users, credits, a validation, outcomes and a connected assistant. */
interface Tenant {
  readonly customer: Customer;
  readonly owner: Person;
  readonly member: Person;
  readonly name: string;
}

async function tenant(name: string): Promise<Tenant> {
  const customer = await test.open({ name, credits: 20, requestsPerSecond: 1_000 });
  const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
  const member = await (await test.owner({ accountId: customer.accountId })).signIn();
  await databases.gateway.query("UPDATE app_user SET role = 'member' WHERE user_id = $1", [member.userId]);
  expect((await customer.validate('ada@ordinary.example')).status).toBe(200);
  const rows = Array.from({ length: outcomes }, (_, index) => `a${index}@life.example,delivered,2026-01-01`);
  const csv = ['email,outcome,date', ...rows].join('\n');
  const upload = await owner.post('/outcomes', csv, { 'content-type': 'text/csv' });
  expect(upload.body).toMatchObject({ recorded: outcomes });
  await until(
    'the index of people to be loaded',
    () => owner.post('/people-searches', { name: 'Leads', filters: {} }),
    ({ status }) => status === 201,
  );
  expect((await owner.post('/saved-lists', { kind: 'people', name: 'Leads' })).status).toBe(201);
  expect((await owner.post('/api-keys', { name: 'A form', scopes: ['validation'] })).status).toBe(201);
  await databases.dispatcher.query(
    `INSERT INTO export (export_id, account_id, created_by, name, source, target, columns, status,
       ended_at, deleted_at)
     VALUES ($1, $2, $3, 'Leads', '{}', 'csv', '{}', 'succeeded', now(), now() + interval '1 day')`,
    [newId('export'), owner.accountId, owner.userId],
  );
  await databases.mcp.query(
    `INSERT INTO assistant (assistant_id, account_id, user_id, client_id, client_name, redirect_host, scopes,
       connected_at, expires_at)
     VALUES ($1, $2, $3, 'client', 'A client', 'client.example', '{account.read}', now(), now() + interval '1 day')`,
    [newId('assistant'), owner.accountId, owner.userId],
  );
  return { customer, owner, member, name };
}

async function expectProblem(
  answer: Promise<{ status: number; body: unknown }>,
  status: number,
  code: string,
): Promise<void> {
  const { status: given, body } = await answer;
  expect([given, problemDocument.parse(body).code]).toEqual([status, code]);
}

function remove(person: Person, body: object, headers: Record<string, string> = {}) {
  return person.send('/account', {
    method: 'DELETE',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

interface Line {
  readonly service?: string;
  readonly table?: string;
  readonly row?: Record<string, unknown>;
  readonly [member: string]: unknown;
}

async function exportOf(person: Person): Promise<{ text: string; lines: Line[]; headers: Headers }> {
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`${test.house.gatewayUrls[0]}/app/v1/account/export`, {
    headers: { cookie },
    signal: AbortSignal.timeout(60_000),
  });
  expect(response.status).toBe(200);
  const text = await response.text();
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line);
  return { text, lines, headers: response.headers };
}

/** The account's rows in a table, found by its declaration. */
async function rowsOf({ table, ofAccount }: (typeof accountTables)[number], accountId: string) {
  return (await databases.gateway.query(`SELECT * FROM ${table} WHERE ${ofAccount}`, [accountId])).rows;
}

async function deletionOf(accountId: string) {
  const { rows } = await databases.gateway.query('SELECT * FROM account_deletion WHERE account_id = $1', [
    accountId,
  ]);
  return rows[0] as Record<string, Date | null> | undefined;
}

const untilForgotten = (accountId: string) =>
  until(
    'what the other services have to do',
    () => deletionOf(accountId),
    deletion =>
      Boolean(
        deletion?.['credits_closed_at'] &&
          deletion['outcomes_forgotten_at'] &&
          deletion['assistants_forgotten_at'] &&
          deletion['profiles_forgotten_at'] &&
          deletion['exports_forgotten_at'],
      ),
    60_000,
  );

async function outcomesOf(accountId: string): Promise<number> {
  const { rowCount } = await databases.validation.query('SELECT FROM outcome WHERE account_id = $1', [
    accountId,
  ]);
  return rowCount ?? 0;
}

async function assistantsOf(accountId: string): Promise<number> {
  const { rowCount } = await databases.mcp.query('SELECT FROM assistant WHERE account_id = $1', [accountId]);
  return rowCount ?? 0;
}

describe('what the gateway says of its tables', () => {
  it('covers every column that there is, and exempts none that names an account or a person', async () => {
    const columns = await columnsOfSchema(test.house.databaseUrls['gateway']?.migrationDatabaseUrl ?? '');
    expect(accountTableFaults(columns, accountTables, tablesWithoutAccount)).toEqual([]);
    for (const table of Object.keys(tablesWithoutAccount)) {
      expect(columns.get(table)?.filter(column => /account|user|email/.test(column))).toEqual([]);
    }
  });
});

describeOperation(exportAccount, {
  async success() {
    const { customer, owner, member } = await tenant('Exported');
    const { text, lines, headers } = await exportOf(owner);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="account.ndjson"');
    expect(lines[0]).toMatchObject({ export: 'mailproof-account', account_id: customer.accountId });
    expect(lines.at(-1)).toEqual({ complete: true, rows: lines.length - 2 });
    const of = (service: string, table: string) =>
      lines.filter(line => line.service === service && line.table === table).map(({ row }) => row);
    expect(of('gateway', 'app_user').map(row => row?.['email'])).toEqual([owner.email, member.email]);
    expect(of('gateway', 'session')).toHaveLength(2);
    expect(of('gateway', 'api_key')).toMatchObject([{ api_key_id: customer.apiKeyId }]);
    expect(of('gateway', 'named_api_key')).toMatchObject([{ name: 'A form', scopes: ['validation'] }]);
    expect(of('credit-ledger', 'credit_grant')).toMatchObject([{ amount: 20 }]);
    expect(of('credit-ledger', 'hold')).toMatchObject([{ cause: 'validate-single-email' }]);
    expect(new Set(of('validation-engine', 'outcome').map(row => row?.['outcome_id'])).size).toBe(outcomes);
    expect(of('enrichment', 'discovery_search')).toMatchObject([{ created_by: owner.userId, name: 'Leads' }]);
    expect(of('webhook-dispatcher', 'export')).toMatchObject([{ created_by: owner.userId, name: 'Leads' }]);
    expect(of('enrichment', 'saved_list')).toMatchObject([{ created_by: owner.userId, name: 'Leads' }]);
    expect(of('mcp-server', 'assistant')).toMatchObject([{ user_id: owner.userId, client_name: 'A client' }]);
    // Numbers that our tables count across all accounts are replaced by names; those that count rows of a file stay.
    const numbered = lines.flatMap(({ row = {} }) =>
      Object.entries(row).flatMap(([name, value]) =>
        /_(no|id)$/.test(name) && typeof value === 'number' ? [name] : [],
      ),
    );
    const ownNumbers = ['row_no', 'address_no', 'chunk_no', 'attempt_no'];
    expect(numbered.filter(name => !ownNumbers.includes(name))).toEqual([]);
    for (const { entry_id } of of('credit-ledger', 'entry') as { entry_id: unknown }[]) {
      expect(entry_id).toMatch(/^entry_[0-9a-f]{32}$/);
    }
    expect(of('gateway', 'security_event')[0]?.['security_event_id']).toMatch(
      /^security_event_[0-9a-f]{32}$/,
    );
    for (const secret of [
      customer.apiKey,
      owner.sessionToken ?? 'none',
      testPassword,
      '$argon2',
      'password_hash',
    ]) {
      expect(text).not.toContain(secret);
    }
    const events = await databases.gateway.query(
      "SELECT FROM security_event WHERE account_id = $1 AND kind = 'account_exported'",
      [customer.accountId],
    );
    expect(events.rowCount).toBe(1);
  },
  async badInput() {
    const owner = await (await test.owner()).signIn();
    await expectProblem(owner.get('/account/export?more=1'), 400, 'invalid_request');
  },
  async noCredentials() {
    await expectProblem(test.stranger().get('/account/export'), 401, 'not_signed_in');
    const { member } = await tenant('Members');
    await expectProblem(member.get('/account/export'), 403, 'owner_required');
  },
  async anotherTenant() {
    const [one, other] = [await tenant('One'), await tenant('Other')];
    const { text } = await exportOf(one.owner);
    for (const theirs of [other.customer.accountId, other.owner.email, other.owner.userId]) {
      expect(text).not.toContain(theirs);
    }
  },
});

describeOperation(deleteAccount, {
  async success() {
    const { customer, owner, member, name } = await tenant('Deleted & gone');
    const { accountId } = customer;
    const answer = await remove(owner, { password: testPassword, account_name: name });
    expect([answer.status, answer.body]).toEqual([200, { deleted_at: expect.any(String) }]);
    expect(owner.sessionToken).toBeUndefined();
    for (let gateway = 0; gateway < 2; gateway += 1) {
      await expectProblem(member.get('/profile'), 401, 'not_signed_in');
      await expectProblem(customer.me(), 401, 'invalid_api_key');
    }
    for (const table of accountTables) {
      const rows = await rowsOf(table, accountId);
      expect([table.table, rows.length]).toEqual([table.table, table.table === 'account_deletion' ? 1 : 0]);
    }
    await untilForgotten(accountId);
    const { rows: balances } = await databases.ledger.query(
      'SELECT available::int, held::int FROM account WHERE account_id = $1',
      [accountId],
    );
    expect(balances).toEqual([{ available: 0, held: 0 }]);
    const { rows: entries } = await databases.ledger.query(
      "SELECT cause, available_change::int AS change FROM entry WHERE account_id = $1 AND kind = 'expire_credits'",
      [accountId],
    );
    expect(entries).toEqual([{ cause: 'delete-account', change: -19 }]);
    expect([await outcomesOf(accountId), await assistantsOf(accountId)]).toEqual([0, 0]);
    for (const table of ['discovery_search', 'discovery_run', 'saved_list']) {
      const { rowCount } = await databases.enrichment.query(`SELECT FROM ${table} WHERE account_id = $1`, [
        accountId,
      ]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
    const exports = await databases.dispatcher.query('SELECT FROM export WHERE account_id = $1', [accountId]);
    expect(exports.rowCount).toBe(0);
    // No column contains anything that names a person.
    for (const table of (
      await columnsOfSchema(test.house.databaseUrls['gateway']?.databaseUrl ?? '')
    ).keys()) {
      const { rows } = await databases.gateway.query(
        `SELECT to_jsonb(kept)::text AS text FROM ${table} AS kept`,
      );
      const kept = rows.map(({ text }) => text).join('\n');
      for (const personal of [owner.email, owner.userId, member.email, member.userId, name]) {
        expect(kept).not.toContain(personal);
      }
    }
    const again = await (await test.owner({ email: owner.email })).signIn();
    expect((await again.get('/profile')).body).not.toMatchObject({ account: { id: accountId } });
  },
  async badInput() {
    const { owner, name, customer } = await tenant('Kept');
    await expectProblem(remove(owner, { password: 'wrong', account_name: name }), 403, 'wrong_password');
    await expectProblem(
      remove(owner, { password: testPassword, account_name: 'kept' }),
      422,
      'account_name_differs',
    );
    await expectProblem(remove(owner, { password: testPassword }), 400, 'invalid_request');
    expect((await customer.me()).status).toBe(200);
    expect(await deletionOf(customer.accountId)).toBeUndefined();
  },
  async noCredentials() {
    const { owner, member, name, customer } = await tenant('Guarded');
    const body = { password: testPassword, account_name: name };
    await expectProblem(remove(test.stranger(), body), 401, 'not_signed_in');
    await expectProblem(remove(member, body), 403, 'owner_required');
    await expectProblem(remove(owner, body, { 'sec-fetch-site': 'cross-site' }), 403, 'cross_site_request');
    expect((await customer.me()).status).toBe(200);
  },
  async anotherTenant() {
    const [mine, theirs] = [await tenant('Mine'), await tenant('Theirs')];
    const body = { password: testPassword, account_name: theirs.name };
    await expectProblem(remove(mine.owner, body), 422, 'account_name_differs');
    expect((await remove(mine.owner, { ...body, account_name: mine.name })).status).toBe(200);
    await untilForgotten(mine.customer.accountId);
    expect((await theirs.customer.me()).body).toEqual({ credits: 19 });
    expect((await theirs.owner.get('/profile')).status).toBe(200);
    expect(await outcomesOf(theirs.customer.accountId)).toBe(outcomes);
    expect(await assistantsOf(theirs.customer.accountId)).toBe(1);
  },
});

describe('deleting an account', () => {
  const service = (name: string) => {
    const found = test.house.services[name];
    if (!found) {
      throw new Error(`there is no service ${name}`);
    }
    return found;
  };

  it('comes to its end although every service is killed in the middle', async () => {
    const { customer, owner, name } = await tenant('Killed');
    const peers = ['credit-ledger', 'validation-engine', 'mcp-server'];
    await Promise.all(peers.map(peer => service(peer).kill('SIGKILL')));
    const answer = await remove(owner, { password: testPassword, account_name: name });
    expect(answer.status).toBe(200);
    await Promise.all(['gateway', 'gateway-2'].map(gateway => service(gateway).kill('SIGKILL')));
    expect(await outcomesOf(customer.accountId)).toBe(outcomes);
    expect(await assistantsOf(customer.accountId)).toBe(1);
    await Promise.all([...peers, 'gateway', 'gateway-2'].map(each => service(each).restart()));
    await expectProblem(customer.me(), 401, 'invalid_api_key');
    await untilForgotten(customer.accountId);
    expect(await outcomesOf(customer.accountId)).toBe(0);
    expect(await assistantsOf(customer.accountId)).toBe(0);
    const { rows } = await databases.ledger.query(
      'SELECT available::int FROM account WHERE account_id = $1',
      [customer.accountId],
    );
    expect(rows).toEqual([{ available: 0 }]);
  });

  it('asks the other services again a day later, for work that was in progress', async () => {
    const { customer, owner, name } = await tenant('Late');
    await remove(owner, { password: testPassword, account_name: name });
    await untilForgotten(customer.accountId);
    const left = async () => {
      const { rows } = await databases.gateway.query<{ job_type: string; is_late: boolean }>(
        `SELECT job_type, due_at > now() + interval '23 hours' AS is_late FROM outbox
         WHERE payload ->> 'accountId' = $1 AND done_at IS NULL ORDER BY job_type`,
        [customer.accountId],
      );
      return rows;
    };
    // A job is marked as done a moment after its work.
    const rows = await until('the end of the jobs', left, jobs => jobs.every(({ is_late }) => is_late));
    expect(rows).toEqual([
      { job_type: 'gateway.close-account-credits', is_late: true },
      { job_type: 'gateway.forget-account-assistants', is_late: true },
      { job_type: 'gateway.forget-account-exports', is_late: true },
      { job_type: 'gateway.forget-account-outcomes', is_late: true },
      { job_type: 'gateway.forget-account-profiles', is_late: true },
    ]);
  });

  it('happens once, however many ask at the same time', async () => {
    const { owner, name, customer } = await tenant('Twice');
    const body = { password: testPassword, account_name: name };
    const cookies = new Map(owner.cookies);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => {
        const tab = owner.elsewhere();
        for (const [key, value] of cookies) {
          tab.cookies.set(key, value);
        }
        return remove(tab, body);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    await untilForgotten(customer.accountId);
  });

  it('answers work in progress as if it came later', async () => {
    const { customer, owner } = await tenant('Under way');
    const body = JSON.stringify({ email: 'ada@ordinary.example' });
    const deletion = await databases.gateway.connect();
    try {
      // Does what the deletion does, with time for requests to reach their writes.
      await deletion.query('BEGIN');
      for (const { table, ofAccount, whenDeleted } of accountTables) {
        if (whenDeleted === 'deleted') {
          await deletion.query(`DELETE FROM ${table} WHERE ${ofAccount}`, [customer.accountId]);
        }
      }
      const inFlight = [
        customer.post('/validate-single-email', body, { 'idempotency-key': 'under way' }),
        owner.post('/members/invitations', { email: test.stranger().email }),
        owner.get('/account/export'),
        owner.put('/account/name', { name: 'Late Ltd' }),
        owner.elsewhere().trySignIn('a wrong password'),
      ];
      await until(
        'All of them wait',
        async () => {
          const { rows } = await databases.gateway.query<{ waiting: number }>(
            'SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted',
          );
          return rows[0]?.waiting ?? 0;
        },
        waiting => waiting >= inFlight.length,
      );
      await deletion.query('COMMIT');
      const answers = await Promise.all(inFlight);
      expect(answers.map(({ status, body: { code } }) => [status, code])).toEqual([
        [401, 'invalid_api_key'],
        [401, 'not_signed_in'],
        [401, 'not_signed_in'],
        [401, 'not_signed_in'],
        [401, 'wrong_credentials'],
      ]);
    } finally {
      deletion.release();
    }
  });

  it('can be repeated by the operator after an old backup was restored', async () => {
    const { customer, owner } = await tenant('Restored');
    const { accountId } = customer;
    const forget = ['account', 'forget', accountId, '--for-good'];
    expect(await runInProcess(forget, test.house.environments.gateway)).toMatchObject({ code: 0 });
    await expectProblem(customer.me(), 401, 'invalid_api_key');
    await expectProblem(owner.get('/profile'), 401, 'not_signed_in');
    await untilForgotten(accountId);
    expect([await outcomesOf(accountId), await assistantsOf(accountId)]).toEqual([0, 0]);
    const listed: string[] = [];
    for await (const deletion of createDeletionStore(databases.gateway).list()) {
      listed.push(deletion.accountId);
    }
    expect(listed).toContain(accountId);
  });
});
