import type { AccountId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { accountTables } from './account-tables.ts';

/** Rows of one table that one request deletes. */
const rowsMax = 5_000;

/** Deletes a portion of what is kept of an account; `remaining` says whether there may be more. */
export function createForgetRows(pool: Pool) {
  return async (accountId: AccountId): Promise<{ deleted: number; remaining: boolean }> => {
    let deleted = 0;
    for (const { table, ofAccount, whenDeleted } of accountTables) {
      if (whenDeleted !== 'deleted') {
        continue;
      }
      const { rowCount } = await pool.query(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM ${table} WHERE ${ofAccount} LIMIT ${rowsMax}))`,
        [accountId],
      );
      deleted += rowCount ?? 0;
      if (rowCount === rowsMax) {
        // The tables after it may hold what its rows are found by.
        return { deleted, remaining: true };
      }
    }
    return { deleted, remaining: false };
  };
}
