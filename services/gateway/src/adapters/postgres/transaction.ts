import type { Pool, PoolClient } from 'pg';
import { AccountGone } from '../../domain/accounts/account.ts';

/** Runs several statements as one: all of them, or none when one throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    // A connection that could not roll back is not given to anybody else.
    client.release(broken);
  }
}

const uniqueViolation = '23505';

/** Whether a statement failed because there is such a row already. */
export function isDuplicate(error: unknown): boolean {
  return (Object(error) as { code?: unknown }).code === uniqueViolation;
}

const foreignKeyViolation = '23503';
const reachesAccount = /_(?:account|user)_id_fkey$/;

/** Whether a row could not be written because its account, or its user, has been deleted meanwhile. */
export function isOfGoneAccount(error: unknown): boolean {
  const { code, constraint } = Object(error) as { code?: unknown; constraint?: unknown };
  return (
    error instanceof AccountGone || (code === foreignKeyViolation && reachesAccount.test(String(constraint)))
  );
}
