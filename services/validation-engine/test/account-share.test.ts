import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { columnsOfSchema } from '@mailproof/dev-house';
import { accountTableFaults } from '@mailproof/service-kit';
import { type AccountId, type ExportedRow, limits, newId } from '@mailproof/shared-types';
import pg from 'pg';
import { accountTables, tablesWithoutAccount } from '../src/adapters/postgres/account-tables.ts';
import { startEngine, type TestEngine } from './engine-in-lab.ts';

let engine: TestEngine;
let database: pg.Pool;

beforeAll(async () => {
  engine = await startEngine({});
  database = new pg.Pool({ connectionString: engine.databaseUrl });
});

afterAll(async () => {
  await database?.end();
  await engine?.stop();
});

const observedAt = new Date(Date.now() - 86_400_000).toISOString();

async function report(accountId: AccountId, count: number): Promise<void> {
  for (let from = 0; from < count; from += limits.outcomesPerReportMax) {
    const rows = Array.from({ length: Math.min(limits.outcomesPerReportMax, count - from) }, (_, index) => ({
      email: `a${from + index}@share.example`,
      outcome: 'delivered',
      observedAt,
    }));
    await engine.report(rows, accountId);
  }
}

async function exportOf(accountId: AccountId): Promise<ExportedRow[]> {
  const rows: ExportedRow[] = [];
  let cursor = '';
  for (;;) {
    const { status, body } = await engine.get(`/internal/v1/accounts/${accountId}/export${cursor}`);
    expect(status).toBe(200);
    rows.push(...body.rows);
    if (body.nextCursor === undefined) {
      return rows;
    }
    cursor = `?cursor=${body.nextCursor}`;
  }
}

const forget = (body: unknown, caller?: 'nobody' | 'credit-ledger') =>
  engine.post(body, caller, '/internal/v1/forgotten-accounts');

test('every column of every table is exported, withheld or exempt', async () => {
  const columns = await columnsOfSchema(engine.databaseUrl);
  expect(accountTableFaults(columns, accountTables, tablesWithoutAccount)).toEqual([]);
});

test('tables that are exempt name no account', async () => {
  for (const [table, columns] of await columnsOfSchema(engine.databaseUrl)) {
    if (table in tablesWithoutAccount) {
      expect(columns.filter(column => /account|user/.test(column))).toEqual([]);
    }
  }
});

describe('export-account-outcomes', () => {
  test('returns every outcome of the account once, over pages, and none of another account', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    await report(accountId, limits.exportPageRowsMax * 2 + 1);
    await report(other, 3);
    const rows = await exportOf(accountId);
    expect(rows).toHaveLength(limits.exportPageRowsMax * 2 + 1);
    expect(new Set(rows.map(({ row }) => row['outcome_id'])).size).toBe(rows.length);
    expect(rows.every(({ table, row }) => table === 'outcome' && row['account_id'] === accountId)).toBe(true);
    expect(JSON.stringify(rows)).not.toContain('share.example');
    expect(await exportOf(newId('account'))).toEqual([]);
  });

  test.each(['x', 'W10', 'WzAsMSwyLDNd', 'WzksImEiXQ', 'WzAsInoiLCJ6IiwieiJd'])(
    'refuses the cursor %s',
    async cursor => {
      const { status, body } = await engine.get(
        `/internal/v1/accounts/${newId('account')}/export?cursor=${cursor}`,
      );
      expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    },
  );

  test.each([
    ['nobody', 401],
    ['credit-ledger', 403],
  ] as const)('is refused to %s', async (caller, status) => {
    const response = await engine.get(`/internal/v1/accounts/${newId('account')}/export`, caller);
    expect(response.status).toBe(status);
  });
});

describe('forget-account-outcomes', () => {
  test('deletes the account’s outcomes a portion at a time, and no other account’s', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    await report(accountId, 5_001);
    await report(other, 2);
    expect((await forget({ accountId })).body).toEqual({ deleted: 5_000, remaining: true });
    expect((await forget({ accountId })).body).toEqual({ deleted: 1, remaining: false });
    expect((await forget({ accountId })).body).toEqual({ deleted: 0, remaining: false });
    expect(await exportOf(accountId)).toEqual([]);
    expect(await exportOf(other)).toHaveLength(2);
  });

  test('refuses what names no account, and callers that it does not know', async () => {
    expect((await forget({})).status).toBe(400);
    expect((await forget({ accountId: newId('account') }, 'nobody')).status).toBe(401);
    expect((await forget({ accountId: newId('account') }, 'credit-ledger')).status).toBe(403);
  });
});
