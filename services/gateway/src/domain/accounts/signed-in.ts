import type { Role, SessionId, UserId } from '@mailproof/shared-types';
import type { Account } from './account.ts';

/** Where a request comes from, as far as it is kept. */
export interface Client {
  /** The client's address; of an IPv6 address the first 64 bits. */
  readonly network: string;
  /** What the browser calls itself, shortened. */
  readonly userAgent: string;
}

/** A user with an open session. */
export interface SignedIn {
  readonly account: Account;
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly email: string;
  readonly role: Role;
}
