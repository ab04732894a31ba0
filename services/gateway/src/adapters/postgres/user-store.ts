import { onlyRow } from '@mailproof/service-kit';
import { type AccountId, newId, type Role, type UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { User, UserStore } from '../../domain/users/user.ts';
import { sql as accounts } from './accounts.sql.ts';
import { sql } from './users.sql.ts';

export function createUserStore(pool: Pool): UserStore {
  return {
    async findByEmail(email) {
      const { rows } = await sql.find_user_by_email(pool, { email });
      const [row] = rows;
      return row && { ...userOf(row), passwordHash: row.password_hash };
    },

    async create({ accountId, email, passwordHash, role }) {
      const userId = newId('user');
      const { rowCount } = await sql.create_user(pool, {
        user_id: userId,
        account_id: accountId,
        email,
        password_hash: passwordHash,
        role,
      });
      return rowCount === 1 ? userId : undefined;
    },
  };
}

/** Creates a user within a transaction. The unique index refuses an address that is taken. */
export async function insertUser(
  client: PoolClient,
  user: { accountId: AccountId; email: string; passwordHash: string; role: Role; now: Date },
): Promise<User> {
  const { accountId, email, passwordHash, role, now } = user;
  const userId = newId('user', now.getTime());
  await sql.insert_user(client, {
    user_id: userId,
    account_id: accountId,
    email,
    password_hash: passwordHash,
    role,
    now,
  });
  return { userId, accountId, email, role };
}

/**
 * Locks the user's row until the transaction ends. Every transaction locks an account before its users, and users
 * before what they own; another order could deadlock.
 */
export async function holdUser(client: PoolClient, userId: UserId) {
  await accounts.lock_account_of_user(client, { user_id: userId });
  const { rows } = await sql.lock_user(client, { user_id: userId });
  return rows[0];
}

/**
 * The time by the database's clock. Transactions that connect or end a user's assistants take their time from here
 * while they hold the user's row, so the earlier one has the smaller time.
 */
export async function databaseTime(client: PoolClient): Promise<Date> {
  return (await onlyRow(sql.database_time(client, {}))).at;
}

export function userOf(row: { user_id: string; account_id: string; email: string; role: string }): User {
  return {
    userId: row.user_id as UserId,
    accountId: row.account_id as AccountId,
    email: row.email,
    role: row.role as Role,
  };
}
