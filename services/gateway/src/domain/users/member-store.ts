import type { AccountId, InvitationId, Role, UserId } from '@mailproof/shared-types';
import type { OneTimeLinkId } from './one-time-link.ts';
import type { User } from './user.ts';

export interface Member extends User {
  readonly createdAt: Date;
}

/** Somebody who has been asked into an account and has not come yet. */
export interface Invitation {
  readonly invitationId: InvitationId;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * The users of an account. Whatever changes their number or their roles has the account's row to itself, so that owners
 * who act at once cannot leave the account without an owner, or with more members than its plan allows.
 */
export interface MemberStore {
  list(accountId: AccountId, now: Date): Promise<{ members: Member[]; invitations: Invitation[] }>;
  /** Open invitations count as members. @throws UserFault `members_exhausted` */
  invite(accountId: AccountId, email: string, role: Role, now: Date): Promise<Invitation>;
  /** Makes an open invitation void; answers it, or nothing when there is none. */
  withdraw(accountId: AccountId, invitationId: InvitationId): Promise<{ email: string } | undefined>;
  /**
   * Uses an invitation up and makes the member. Nothing when the link is of no use.
   *
   * @throws UserFault `email_taken`, `members_exhausted`
   */
  accept(linkId: OneTimeLinkId, passwordHash: string, now: Date): Promise<User | undefined>;
  /** @throws UserFault `member_not_found`, `last_owner` */
  changeRole(accountId: AccountId, userId: UserId, role: Role): Promise<Member>;
  /** Removes a user with every session and link. @throws UserFault `member_not_found`, `last_owner` */
  remove(accountId: AccountId, userId: UserId): Promise<Member>;
}
