import type { AccountId, InvitationId, Role, UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';
import type { LinkRequest } from './link-store.ts';
import type { User } from './user.ts';

export interface Member extends User {
  readonly createdAt: Date;
}

/** An invited person who has not joined yet. */
export interface Invitation {
  readonly invitationId: InvitationId;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The owner and the account of an action on members, with its client and time. */
export interface OwnerAction {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly client: Client;
  readonly now: Date;
}

/**
 * Stores the users of an account. A change of their number or roles locks the account's row, so concurrent owners
 * cannot leave the account without an owner, or with more members than its plan allows. Each change records its
 * security event in the same transaction.
 */
export interface MemberStore {
  list(accountId: AccountId, now: Date): Promise<{ members: Member[]; invitations: Invitation[] }>;
  /** Open invitations count as members. @throws UserFault `members_exhausted` */
  invite(wanted: { email: string; role: Role }, act: OwnerAction): Promise<Invitation>;
  /** Voids an open invitation; returns false if there is none. */
  withdraw(invitationId: InvitationId, act: OwnerAction): Promise<boolean>;
  /**
   * Uses up an invitation and creates the member. Returns undefined if the link is not valid.
   *
   * @throws UserFault `email_taken`, `members_exhausted`
   */
  accept(request: LinkRequest & { passwordHash: string }): Promise<User | undefined>;
  /** @throws UserFault `member_not_found`, `last_owner` */
  changeRole(change: { userId: UserId; role: Role }, act: OwnerAction): Promise<Member>;
  /** Removes a user with every session and link. @throws UserFault `member_not_found`, `last_owner` */
  remove(userId: UserId, act: OwnerAction): Promise<void>;
}
