import type { AccountId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { accountTables } from './account-tables.ts';

/** Rows of one table that one request deletes, so that each is a short statement and any account can be forgotten. */
const rowsAtOnceMax = 5_000;

/** Deletes a portion of what is kept of a deleted account; `remaining` says whether there may be more. */
export function createForgetAccount(pool: Pool) {
  return async (accountId: AccountId): Promise<{ deleted: number; remaining: boolean }> => {
    let deleted = 0;
    for (const { table, ofAccount } of accountTables) {
      const { rowCount } = await pool.query(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM ${table} WHERE ${ofAccount} LIMIT ${rowsAtOnceMax}))`,
        [accountId],
      );
      deleted += rowCount ?? 0;
      if (rowCount === rowsAtOnceMax) {
        // The tables after it may hold what its rows are found by.
        return { deleted, remaining: true };
      }
    }
    return { deleted, remaining: false };
  };
}
