import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { LinkPurpose, OneTimeLinkId } from './one-time-link.ts';
import type { User } from './user.ts';

/** A request by a signed-in user who gave the password with this hash. */
export interface ProvenRequest {
  readonly signedIn: SignedIn;
  readonly currentHash: string;
  readonly client: Client;
  readonly now: Date;
}

/** A request by a client that follows a link. */
export interface LinkRequest {
  readonly linkId: OneTimeLinkId;
  readonly client: Client;
  readonly now: Date;
}

/**
 * One-time links, and the effect of using them. Each use is one transaction: the link is used up, its work is done and
 * its security event recorded, or none of these. A use returns undefined if the link is unknown, used, expired or void.
 */
export interface LinkStore {
  /** The address that an open link was sent to. */
  find(linkId: OneTimeLinkId, purpose: LinkPurpose, now: Date): Promise<{ email: string } | undefined>;

  askSignUp(request: { email: string; accountName: string; now: Date }): Promise<void>;
  /** Does the same work whether or not the address is a user's, so its duration reveals nothing. */
  askPasswordReset(request: { email: string; client: Client; now: Date }): Promise<void>;
  /** Voids an earlier link to a new address. Returns false if the password has since changed. */
  askEmailChange(request: ProvenRequest & { email: string }): Promise<boolean>;

  /**
   * Creates the account and its owner, with the password of the user who followed the link.
   *
   * @throws UserFault `email_taken`
   */
  useSignUp(request: LinkRequest & { passwordHash: string }): Promise<User | undefined>;
  /** Sets the password, ends every session, and voids every other link of the user. */
  usePasswordReset(request: LinkRequest & { passwordHash: string }): Promise<User | undefined>;
  /**
   * Sets the address, ends every session but the requesting one, and voids every other link of the user.
   *
   * @throws UserFault `email_taken`
   */
  useEmailChange(request: LinkRequest): Promise<User | undefined>;

  /**
   * Sets the password of a signed-in user, ends the other sessions and revokes every link of the user. Returns false if
   * the password has changed meanwhile.
   */
  changePassword(request: ProvenRequest & { passwordHash: string }): Promise<boolean>;
}
