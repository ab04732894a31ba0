import type { AccountId } from '@mailproof/shared-types';
import type { Pool } from 'pg';

/** Lets the credits of a deleted account expire, and tells how many did. */
export function createCloseAccount(pool: Pool) {
  return async (accountId: AccountId): Promise<number> => {
    const { rows } = await pool.query<{ expired: string }>('SELECT close_account_v1($1, NULL) AS expired', [
      accountId,
    ]);
    return Number(rows[0]?.expired ?? 0);
  };
}
