import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { columnsOfSchema, type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { accountTableFaults, createAccountReader } from '@mailproof/service-kit';
import { type AccountId, type ExportId, newId } from '@mailproof/shared-types';
import { accountTables, tablesWithoutAccount } from '../src/adapters/postgres/account-tables.ts';
import { createExportStore } from '../src/adapters/postgres/export-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { forgetAccount } from '../src/domain/exports/delete-export.ts';

let opened: OpenTestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase('webhook-dispatcher', openDatabase);
});

afterAll(async () => {
  await opened?.close();
});

/** Creates an account with this many exports of two rows each. */
async function fill(exports: number): Promise<AccountId> {
  const accountId = newId('account');
  await opened.pool.query(
    `WITH made AS (
       INSERT INTO export (export_id, account_id, created_by, name, source, target, columns, deleted_at)
       SELECT $1 || i, $1, 'user', 'Customers', '{}', 'csv', '{email}', now() FROM generate_series(1, $2::int) i
       RETURNING export_no)
     INSERT INTO export_row (export_no, row_no, record_key)
     SELECT export_no, row_no, 'key' FROM made, generate_series(1, 2) row_no`,
    [accountId, exports],
  );
  return accountId;
}

describe('what the dispatcher keeps of an account', () => {
  it('is declared, column by column', async () => {
    const columns = await columnsOfSchema(opened.ownerUrl);
    expect(accountTableFaults(columns, accountTables, tablesWithoutAccount)).toEqual([]);
  });

  it('is included in an export of the account, and of no other', async () => {
    const [accountId, other] = [await fill(2), await fill(1)];
    const { rows } = await createAccountReader(opened.pool, accountTables)(accountId, undefined);
    expect(rows.map(({ table }) => table)).toEqual([...Array(4).fill('export_row'), 'export', 'export']);
    expect(JSON.stringify(rows)).not.toContain(other);
  });

  it('is deleted in portions, with the destinations of pushes, and of no other account', async () => {
    const [accountId, other] = [await fill(45), await fill(1)];
    const forgotten: ExportId[] = [];
    const ports = {
      exports: createExportStore(opened.pool),
      delivery: {
        rowsAtOnce: () => 1,
        deliverRows: () => Promise.reject(new Error('Nothing is pushed here.')),
        forget: async (exportId: ExportId) => void forgotten.push(exportId),
      },
    };
    let deleted = 0;
    for (let remaining = true; remaining; ) {
      const portion = await forgetAccount(ports, accountId);
      deleted += portion.deleted;
      remaining = portion.remaining;
    }
    expect([deleted, new Set(forgotten).size]).toEqual([45, 45]);
    const { rows } = await opened.pool.query<{ account_id: string; rows: number }>(
      'SELECT account_id, count(*)::int AS rows FROM export JOIN export_row USING (export_no) GROUP BY 1',
    );
    expect(rows.find(row => row.account_id === accountId)).toBeUndefined();
    expect(rows.find(row => row.account_id === other)).toEqual({ account_id: other, rows: 2 });
  });
});
