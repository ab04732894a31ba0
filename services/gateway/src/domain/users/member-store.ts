import type { AccountId, InvitationId, Role, UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';
import type { LinkRequest } from './link-store.ts';
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

/** Which owner does something to whose members, from where and when. */
export interface OwnersAct {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly client: Client;
  readonly now: Date;
}

/**
 * The users of an account. Whatever changes their number or their roles has the account's row to itself, so that owners
 * who act at once cannot leave the account without an owner, or with more members than its plan allows. The security
 * event that tells of a change is part of it.
 */
export interface MemberStore {
  list(accountId: AccountId, now: Date): Promise<{ members: Member[]; invitations: Invitation[] }>;
  /** Open invitations count as members. @throws UserFault `members_exhausted` */
  invite(wanted: { email: string; role: Role }, act: OwnersAct): Promise<Invitation>;
  /** Makes an open invitation void; false when there is none. */
  withdraw(invitationId: InvitationId, act: OwnersAct): Promise<boolean>;
  /**
   * Uses an invitation up and makes the member. Nothing when the link is of no use.
   *
   * @throws UserFault `email_taken`, `members_exhausted`
   */
  accept(request: LinkRequest & { passwordHash: string }): Promise<User | undefined>;
  /** @throws UserFault `member_not_found`, `last_owner` */
  changeRole(change: { userId: UserId; role: Role }, act: OwnersAct): Promise<Member>;
  /** Removes a user with every session and link. @throws UserFault `member_not_found`, `last_owner` */
  remove(userId: UserId, act: OwnersAct): Promise<void>;
}
