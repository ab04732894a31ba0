import type { AccountId, EmailAddress, UserId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createPasswordHasher } from '../adapters/argon2/password-hasher.ts';
import { readCommonPasswords } from '../adapters/common-passwords/read-common-passwords.ts';
import { createUserStore } from '../adapters/postgres/user-store.ts';
import { refuseWeakPassword } from '../domain/users/password-rules.ts';

/** The operator's hands on the owners of accounts. */
export interface Owners {
  /**
   * Whether there can be such an owner: false when the address is somebody's already.
   *
   * @throws PasswordFault when the password is too easy to guess
   */
  canBe(email: EmailAddress, password: string): Promise<boolean>;
  /**
   * Makes an owner who can sign in at once. Answers nothing when the address is somebody's already.
   *
   * @throws PasswordFault when the password is too easy to guess
   */
  add(accountId: AccountId, email: EmailAddress, password: string): Promise<UserId | undefined>;
}

export function composeOwners(pool: Pool): Owners {
  const users = createUserStore(pool);
  const passwords = createPasswordHasher({ atOnceMax: 1, waitingMax: 100 });
  return {
    async canBe(email, password) {
      refuseWeakPassword(password, email.normalised, readCommonPasswords());
      return (await users.findByEmail(email.normalised)) === undefined;
    },
    async add(accountId, email, password) {
      refuseWeakPassword(password, email.normalised, readCommonPasswords());
      const passwordHash = await passwords.hash(password);
      return users.create({ accountId, email: email.normalised, passwordHash, role: 'owner' });
    },
  };
}
