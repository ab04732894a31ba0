import type { Pool, PoolClient } from 'pg';
import { isUnanswered } from './unanswered-statements.ts';

/** Runs statements in a transaction, which rolls back if `work` throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The pool listens only to idle connections. A connection that breaks here fails its statement and must not end the
  // process.
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
      // A rollback would get no answer either. Postgres rolls back when it ends the session.
      broken = error;
    } else {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
    }
    throw error;
  } finally {
    client.off('error', onBroken);
    // A connection that could not roll back is not reused.
    client.release(broken);
  }
}
