import type { Pool } from 'pg';

/** Keys of advisory locks; the numbers are arbitrary. */
export const feedLock = 732_650_311;
export const buildLock = 732_650_312;

/**
 * Works while this process holds a lock of the database's, and returns undefined if another one holds it. A connection
 * that ends takes the lock with it: `assertHeld` then throws.
 */
export async function withLock<Result>(
  pool: Pool,
  key: number,
  work: (assertHeld: () => Promise<void>) => Promise<Result>,
): Promise<Result | undefined> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      key,
    ]);
    if (rows[0]?.locked !== true) {
      return undefined;
    }
    return await work(async () => {
      await client.query('SELECT 1');
    });
  } finally {
    // Closing the connection always releases the lock.
    client.release(true);
  }
}
