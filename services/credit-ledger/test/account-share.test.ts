import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  columnsOfSchema,
  createTestDatabase,
  type TestDatabase,
  type TestServiceKeys,
  testServiceKeys,
} from '@mailproof/dev-house';
import {
  accountTableFaults,
  createTokenSigner,
  openPostgres,
  type PrivateServiceKey,
  type Service,
} from '@mailproof/service-kit';
import { type AccountId, type ExportedRow, limits, newId, type ServiceName } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import request from 'supertest';
import { accountTables, tablesWithoutAccount } from '../src/adapters/postgres/account-tables.ts';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { faultsOfLedger } from './ledger-faults.ts';
import { liveInAccount } from './lived-in-account.ts';

let database: TestDatabase;
let pool: Pool;
let keys: TestServiceKeys;
let ledger: Service;

beforeAll(async () => {
  database = await createTestDatabase('credit-ledger');
  pool = openPostgres({
    connectionString: database.databaseUrl,
    schema: 'ledger',
    applicationName: 'account-share-test',
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
  keys = await testServiceKeys();
  ledger = await compose(
    loadConfig({
      DATABASE_URL: database.databaseUrl,
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...keys.settingsOf('credit-ledger'),
    }),
  );
});

afterAll(async () => {
  expect(await faultsOfLedger(pool)).toEqual([]);
  await ledger.stop();
  await pool.end();
  await database.drop();
});

async function tokenOf(caller: ServiceName): Promise<string> {
  const sign = await createTokenSigner(keys.signingKeys[caller] as PrivateServiceKey);
  return `Bearer ${await sign('credit-ledger')}`;
}

async function get(path: string, caller: ServiceName = 'gateway') {
  return request(ledger.app)
    .get(`/internal/v1${path}`)
    .set('authorization', await tokenOf(caller));
}

async function close(body: object, caller: ServiceName = 'gateway') {
  return request(ledger.app)
    .post('/internal/v1/closed-accounts')
    .set('authorization', await tokenOf(caller))
    .send(body);
}

async function exportOf(accountId: AccountId): Promise<ExportedRow[]> {
  const rows: ExportedRow[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await get(`/accounts/${accountId}/export${cursor}`);
    expect(status).toBe(200);
    rows.push(...body.rows);
    if (body.nextCursor === undefined) {
      return rows;
    }
    cursor = `?cursor=${body.nextCursor}`;
  }
}

describe('what the ledger says of its tables', () => {
  it('covers every column that there is', async () => {
    const columns = await columnsOfSchema(database.ownerUrl);
    expect(accountTableFaults(columns, accountTables, tablesWithoutAccount)).toEqual([]);
    for (const table of Object.keys(tablesWithoutAccount)) {
      expect(columns.get(table)?.filter(column => /account_id|user_id/.test(column))).toEqual([]);
    }
  });

  it('would tell of a table or a column that was forgotten', () => {
    const [first] = accountTables;
    const columns = new Map([
      ['account', ['account_id', 'available', 'held', 'low_below', 'nickname']],
      ['diary', ['account_id']],
    ]);
    expect(accountTableFaults(columns, first ? [first] : [], {})).toEqual([
      'account.nickname is neither exported nor withheld',
      'diary is neither exported nor exempt',
    ]);
    expect(accountTableFaults(new Map(), [], { diary: 'Private.' })).toEqual([
      'there are no tables',
      'there is no table diary',
    ]);
  });
});

describe('export-account-credits', () => {
  it('returns every row of the account, and none of another', async () => {
    const { accountId, settled } = await liveInAccount(pool);
    await liveInAccount(pool);
    const rows = await exportOf(accountId);
    const counts = Object.groupBy(rows, ({ table }) => table);
    expect(Object.fromEntries(Object.entries(counts).map(([table, of]) => [table, of?.length]))).toEqual({
      account: 1,
      credit_grant: 4,
      billing_cycle: 1,
      allowance: 1,
      allowance_use: 2,
      hold: 4,
      entry: 12,
    });
    expect(rows.every(({ row }) => row['account_id'] === accountId)).toBe(true);
    expect(rows.find(({ row }) => row['hold_id'] === settled)).toMatchObject({
      table: 'hold',
      row: { amount: 9, settled: 7, state: 'settled', refunded: 3 },
    });
    expect(await exportOf(newId('account'))).toEqual([]);
  });

  it('continues over pages while credits move, and repeats and skips nothing', async () => {
    const { accountId } = await liveInAccount(pool);
    const move = (count: number) =>
      pool.query(
        `SELECT create_hold_v1('hold_' || md5($1 || n), $2, 'run' || $1 || n, 1, 'test-run', NULL, 60000, NULL),
           settle_hold_v1('hold_' || md5($1 || n), 1, NULL) FROM generate_series(1, ${count}) AS n`,
        [newId('request'), accountId],
      );
    await pool.query("SELECT grant_credits_v1($1, $2, 'top_up', 5000, NULL, 'test-grant', NULL, NULL)", [
      newId('creditGrant'),
      accountId,
    ]);
    await move(limits.exportPageRowsMax);
    let isReading = true;
    const moving = (async () => {
      while (isReading) {
        await move(5);
      }
    })();
    const before = await pool.query('SELECT entry_id FROM entry WHERE account_id = $1', [accountId]);
    const rows = await exportOf(accountId);
    isReading = false;
    await moving;
    const entries = rows.filter(({ table }) => table === 'entry').map(({ row }) => Number(row['entry_id']));
    expect(new Set(entries).size).toBe(entries.length);
    const seen = new Set(entries);
    expect(before.rows.filter(row => !seen.has(Number(row.entry_id)))).toEqual([]);
    expect(rows.length).toBeGreaterThan(3 * limits.exportPageRowsMax);
  });

  it('rejects a cursor that it did not return, and unknown callers', async () => {
    const path = `/accounts/${newId('account')}/export`;
    const { status, body } = await get(`${path}?cursor=nothing`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    expect((await get(path, 'validation-engine')).status).toBe(403);
    expect((await request(ledger.app).get(`/internal/v1${path}`)).status).toBe(401);
  });
});

describe('sum-usage', () => {
  it('sums what settlements spent, by day and cause', async () => {
    const { accountId } = await liveInAccount(pool);
    const usageOf = async (from: string, until: string) =>
      (await get(`/accounts/${accountId}/usage?from=${from}&until=${until}`)).body;
    const days = [{ day: '2026-03-02', cause: 'test-run', spent: 7 }];
    expect(await usageOf('2026-03-01', '2026-03-31')).toEqual({ days });
    expect(await usageOf('2026-03-02', '2026-03-02')).toEqual({ days });
    expect(await usageOf('2026-03-03', '2026-03-31')).toEqual({ days: [] });
    expect(await usageOf('2026-02-01', '2026-03-01')).toEqual({ days: [] });
  });

  it.each([
    ['2026-03-02', '2026-03-01'],
    ['2025-01-01', '2026-12-31'],
    ['yesterday', '2026-03-01'],
    ['2026-02-30', '2026-03-01'],
  ])('refuses the days from %s until %s', async (from, until) => {
    const { status, body } = await get(`/accounts/${newId('account')}/usage?from=${from}&until=${until}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  it('is refused to callers that it does not know', async () => {
    const path = `/accounts/${newId('account')}/usage?from=2026-03-01&until=2026-03-01`;
    expect((await get(path, 'validation-engine')).status).toBe(403);
    expect((await request(ledger.app).get(`/internal/v1${path}`)).status).toBe(401);
  });
});

describe('close-account-credits', () => {
  async function balanceOf(accountId: AccountId) {
    const { rows } = await pool.query('SELECT available::int, held::int FROM account WHERE account_id = $1', [
      accountId,
    ]);
    return rows[0];
  }

  it('expires available credits immediately, with the cause', async () => {
    const { accountId } = await liveInAccount(pool);
    expect((await close({ accountId })).body).toEqual({ accountId, expired: 105 });
    expect(await balanceOf(accountId)).toEqual({ available: 0, held: 4 });
    const { rows } = await pool.query(
      `SELECT DISTINCT cause FROM entry
       WHERE account_id = $1 AND kind = 'expire_credits' AND created_at > now() - interval '1 hour'`,
      [accountId],
    );
    expect(rows).toEqual([{ cause: 'delete-account' }]);
    expect((await close({ accountId })).body).toEqual({ accountId, expired: 0 });
  });

  it('lets running work spend its holds, and expires the rest', async () => {
    const { accountId, pending } = await liveInAccount(pool);
    await close({ accountId });
    await pool.query('SELECT settle_hold_v1($1, 3, NULL)', [pending]);
    expect(await balanceOf(accountId)).toEqual({ available: 0, held: 0 });
  });

  it('expires credits granted in the meantime when it is repeated', async () => {
    const { accountId } = await liveInAccount(pool);
    await close({ accountId });
    await pool.query("SELECT grant_credits_v1($1, $2, 'top_up', 10, NULL, 'test-grant', NULL, NULL)", [
      newId('creditGrant'),
      accountId,
    ]);
    expect((await close({ accountId })).body).toEqual({ accountId, expired: 10 });
  });

  it('does not mind an account that it never saw, nor touches another', async () => {
    const { accountId } = await liveInAccount(pool);
    const unknown = newId('account');
    expect((await close({ accountId: unknown })).body).toEqual({ accountId: unknown, expired: 0 });
    expect(await balanceOf(accountId)).toEqual({ available: 105, held: 4 });
    expect(await balanceOf(unknown)).toBeUndefined();
  });

  it('rejects requests without an account, and unknown callers', async () => {
    expect((await close({})).status).toBe(400);
    expect((await close({ accountId: newId('account') }, 'validation-engine')).status).toBe(403);
    expect((await request(ledger.app).post('/internal/v1/closed-accounts').send({})).status).toBe(401);
  });

  it('is not a way for the service to change when a grant expires', async () => {
    await expect(pool.query('UPDATE credit_grant SET expires_at = now()')).rejects.toThrow(
      'permission denied',
    );
  });
});
