import type { AccountId, Role, UserId } from '@mailproof/shared-types';

/** A person who can sign in; belongs to one account. */
export interface User {
  readonly userId: UserId;
  readonly accountId: AccountId;
  readonly email: string;
  readonly role: Role;
}

/** A user with the hash to check the password against. */
export interface UserWithPassword extends User {
  readonly passwordHash: string;
}

/** Stores users. */
export interface UserStore {
  /** Ignores case. */
  findByEmail(email: string): Promise<UserWithPassword | undefined>;
  /** Creates a user; returns undefined if the address is taken. */
  create(user: Omit<UserWithPassword, 'userId'>): Promise<UserId | undefined>;
}

/**
 * Creates and verifies password hashes. Both methods throw `service_unavailable` when too many hashes are in progress.
 */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(passwordHash: string, password: string): Promise<boolean>;
}
