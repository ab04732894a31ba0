import type { PoolClient } from 'pg';

/**
 * The time by the database's clock. Transactions that connect or end a user's assistants take their time from here
 * while they hold the user's row, so the earlier one has the smaller time.
 */
export async function clockOf(client: PoolClient): Promise<Date> {
  const { rows } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  if (!rows[0]) {
    throw new Error('The database does not tell the time.');
  }
  return rows[0].at;
}
