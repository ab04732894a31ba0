import type { AccountId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { DayOfUsage, UsageDays } from '../../domain/usage.ts';

/** Sums what settlements spent; the index `entry_spending` has all that is read. */
export function createUsageReader(pool: Pool) {
  return async (accountId: AccountId, { from, until }: UsageDays): Promise<DayOfUsage[]> => {
    const { rows } = await pool.query<{ day: string; cause: string; spent: string }>(
      `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, cause,
         sum(-available_change - held_change) AS spent
       FROM entry
       WHERE account_id = $1 AND kind = 'settle' AND created_at >= $2::date AT TIME ZONE 'UTC'
         AND created_at < ($3::date + 1) AT TIME ZONE 'UTC'
       GROUP BY 1, 2 HAVING sum(-available_change - held_change) > 0 ORDER BY 1, 2`,
      [accountId, from, until],
    );
    return rows.map(({ day, cause, spent }) => ({ day, cause, spent: Number(spent) }));
  };
}
