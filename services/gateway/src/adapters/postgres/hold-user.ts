import type { AccountId, UserId } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';

/**
 * Locks the user's row until the transaction ends. Every transaction locks an account before its users, and users
 * before what they own; another order could deadlock.
 */
export async function holdUser(
  client: PoolClient,
  userId: UserId,
): Promise<{ readonly account_id: AccountId; readonly password_hash: string } | undefined> {
  await client.query(
    'SELECT 1 FROM account JOIN app_user USING (account_id) WHERE user_id = $1 FOR KEY SHARE OF account',
    [userId],
  );
  const { rows } = await client.query<{ account_id: AccountId; password_hash: string }>(
    'SELECT account_id, password_hash FROM app_user WHERE user_id = $1 FOR NO KEY UPDATE',
    [userId],
  );
  return rows[0];
}
