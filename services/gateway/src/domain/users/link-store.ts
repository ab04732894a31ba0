import type { AccountId, UserId } from '@mailproof/shared-types';
import type { SignedIn } from '../signed-in.ts';
import type { LinkPurpose, OneTimeLinkId } from './one-time-link.ts';
import type { User } from './user.ts';

/**
 * Links that were asked for, and what their use does. Each use is one transaction: the link is used up and its work is
 * done, or neither. A use answers nothing when the link is unknown, used, expired or void.
 */
export interface LinkStore {
  /** The address that an open link was sent to. */
  find(linkId: OneTimeLinkId, purpose: LinkPurpose, now: Date): Promise<{ email: string } | undefined>;

  askSignUp(request: { email: string; accountName: string; passwordHash: string; now: Date }): Promise<void>;
  /** Answers the user, if the address is one's. */
  askPasswordReset(email: string, now: Date): Promise<{ accountId: AccountId; userId: UserId } | undefined>;
  /** Makes a link to the new address void that was asked for before. */
  askEmailChange(signedIn: SignedIn, email: string, now: Date): Promise<void>;

  /**
   * Makes the account and its owner.
   *
   * @throws UserFault `email_taken`
   */
  useSignUp(linkId: OneTimeLinkId, now: Date): Promise<User | undefined>;
  /** Sets the password, ends every session, and makes every other link of the user void. */
  usePasswordReset(linkId: OneTimeLinkId, passwordHash: string, now: Date): Promise<User | undefined>;
  /**
   * Sets the address, ends every session but the one that asked, and makes every other link of the user void.
   *
   * @throws UserFault `email_taken`
   */
  useEmailChange(linkId: OneTimeLinkId, now: Date): Promise<User | undefined>;

  /** Sets the password of whoever has signed in, ends the other sessions and makes every link of the user void. */
  changePassword(signedIn: SignedIn, passwordHash: string, now: Date): Promise<void>;
}
