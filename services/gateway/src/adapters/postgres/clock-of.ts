import type { PoolClient } from 'pg';

/**
 * The time by the database's clock. What is connected and what is ended by a later step of the same user have it from
 * here, while they hold the user's row, so that the earlier one has the smaller time.
 */
export async function clockOf(client: PoolClient): Promise<Date> {
  const { rows } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  if (!rows[0]) {
    throw new Error('The database does not tell the time.');
  }
  return rows[0].at;
}
