import type { Role, SessionId, UserId } from '@mailproof/shared-types';
import type { Account } from './account.ts';

/** What is recorded of a request's origin. */
export interface Client {
  /** The client's address; for IPv6, its first 64 bits. */
  readonly network: string;
  /** The browser's `User-Agent`, truncated. */
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
