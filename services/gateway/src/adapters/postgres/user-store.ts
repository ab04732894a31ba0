import { type AccountId, newId, type Role, type UserId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { UserStore } from '../../domain/users/user.ts';

interface UserRow {
  readonly user_id: UserId;
  readonly account_id: AccountId;
  readonly email: string;
  readonly role: Role;
  readonly password_hash: string;
}

export function createUserStore(pool: Pool): UserStore {
  return {
    async findByEmail(email) {
      const { rows } = await pool.query<UserRow>(
        'SELECT user_id, account_id, email, role, password_hash FROM app_user WHERE lower(email) = lower($1)',
        [email],
      );
      const [row] = rows;
      return (
        row && {
          userId: row.user_id,
          accountId: row.account_id,
          email: row.email,
          role: row.role,
          passwordHash: row.password_hash,
        }
      );
    },

    async create({ accountId, email, passwordHash, role }) {
      const userId = newId('user');
      const { rowCount } = await pool.query(
        `INSERT INTO app_user (user_id, account_id, email, password_hash, role) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
        [userId, accountId, email, passwordHash, role],
      );
      return rowCount === 1 ? userId : undefined;
    },
  };
}
