import type { AccountId, Role, UserId } from '@mailproof/shared-types';

/** A person who can sign in; belongs to one account. */
export interface User {
  readonly userId: UserId;
  readonly accountId: AccountId;
  readonly email: string;
  readonly role: Role;
}

/** A user with what the password is checked against. */
export interface UserWithPassword extends User {
  readonly passwordHash: string;
}

/** Where users are kept. */
export interface UserStore {
  /** Upper and lower case are the same. */
  findByEmail(email: string): Promise<UserWithPassword | undefined>;
  /** Makes a user; answers nothing when the address is somebody’s already. */
  create(user: Omit<UserWithPassword, 'userId'>): Promise<UserId | undefined>;
}

/** Makes and checks password hashes. Both throw `service_unavailable` when too many are being made already. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(passwordHash: string, password: string): Promise<boolean>;
}
