import type { AccountId, EmailAddress, UserId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createPasswordHasher } from '../adapters/argon2/password-hasher.ts';
import { readCommonPasswords } from '../adapters/common-passwords/read-common-passwords.ts';
import { createUserStore } from '../adapters/postgres/user-store.ts';
import { refuseWeakPassword } from '../domain/users/password-rules.ts';

/** The operator's access to the owners of accounts. */
export interface Owners {
  /**
   * Whether an owner can have this address: false if it is taken.
   *
   * @throws PasswordFault when the password is too easy to guess
   */
  canBe(email: EmailAddress, password: string): Promise<boolean>;
  /**
   * Creates an owner who can sign in at once. Returns undefined if the address is taken.
   *
   * @throws PasswordFault when the password is too easy to guess
   */
  add(accountId: AccountId, email: EmailAddress, password: string): Promise<UserId | undefined>;
}

export function composeOwners(pool: Pool): Owners {
  const users = createUserStore(pool);
  const passwords = createPasswordHasher({ concurrencyMax: 1, waitingMax: 100 });
  return {
    async canBe(email, password) {
      refuseWeakPassword(password, email.normalized, await readCommonPasswords());
      return (await users.findByEmail(email.normalized)) === undefined;
    },
    async add(accountId, email, password) {
      refuseWeakPassword(password, email.normalized, await readCommonPasswords());
      const passwordHash = await passwords.hash(password);
      return users.create({ accountId, email: email.normalized, passwordHash, role: 'owner' });
    },
  };
}
