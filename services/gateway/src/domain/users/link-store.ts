import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { LinkPurpose, OneTimeLinkId } from './one-time-link.ts';
import type { User } from './user.ts';

/** Of somebody who has signed in and given the password whose hash this is. */
export interface ProvenRequest {
  readonly signedIn: SignedIn;
  readonly currentHash: string;
  readonly client: Client;
  readonly now: Date;
}

/** Of somebody who follows a link. */
export interface LinkRequest {
  readonly linkId: OneTimeLinkId;
  readonly client: Client;
  readonly now: Date;
}

/**
 * Links that were asked for, and what their use does. Each use is one transaction: the link is used up and its work is
 * done, or neither; the security event that tells of it is part of that. A use answers nothing when the link is unknown, used, expired or void.
 */
export interface LinkStore {
  /** The address that an open link was sent to. */
  find(linkId: OneTimeLinkId, purpose: LinkPurpose, now: Date): Promise<{ email: string } | undefined>;

  askSignUp(request: { email: string; accountName: string; now: Date }): Promise<void>;
  /** Does the same whether the address is a user's or not, so that nobody can tell by the time it takes. */
  askPasswordReset(request: { email: string; client: Client; now: Date }): Promise<void>;
  /** Makes a link to the new address void that was asked for before. False when the password is another one by now. */
  askEmailChange(request: ProvenRequest & { email: string }): Promise<boolean>;

  /**
   * Makes the account and its owner, with the password of whoever followed the link.
   *
   * @throws UserFault `email_taken`
   */
  useSignUp(request: LinkRequest & { passwordHash: string }): Promise<User | undefined>;
  /** Sets the password, ends every session, and makes every other link of the user void. */
  usePasswordReset(request: LinkRequest & { passwordHash: string }): Promise<User | undefined>;
  /**
   * Sets the address, ends every session but the one that asked, and makes every other link of the user void.
   *
   * @throws UserFault `email_taken`
   */
  useEmailChange(request: LinkRequest): Promise<User | undefined>;

  /**
   * Sets the password of whoever has signed in, ends the other sessions and makes every link of the user void. False when
   * the password is another one by now.
   */
  changePassword(request: ProvenRequest & { passwordHash: string }): Promise<boolean>;
}
