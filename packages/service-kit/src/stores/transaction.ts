import type { Pool, PoolClient } from 'pg';
import { isUnanswered } from './forgotten-connections.ts';

/** Runs several statements as one: all of them, or none when one throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The pool listens to idle connections alone. One that breaks in here fails its statement; it must not end the process.
  const onBroken = (error: Error) => {
    broken = error;
  };
  client.on('error', onBroken);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (isUnanswered(error)) {
      // Neither would the rollback be answered. Postgres rolls back by itself when it gives the session up.
      broken = error;
    } else {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
    }
    throw error;
  } finally {
    client.off('error', onBroken);
    // A connection that could not roll back is not given to anybody else.
    client.release(broken);
  }
}
