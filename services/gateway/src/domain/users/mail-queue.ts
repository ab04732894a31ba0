import type { MailId } from '@mailproof/shared-types';
import type { LinkPurpose, OneTimeLinkId } from './one-time-link.ts';

/** What a mail says. */
export type MailKind =
  /** The link that makes an account. */
  | 'sign_up'
  /** In its place where the address is a user's: the link that resets the password. */
  | 'already_user'
  | 'password_reset'
  | 'email_change'
  /** In its place where the address is another user's. */
  | 'address_in_use'
  /** To the old address. */
  | 'email_change_notice'
  | 'password_changed_notice'
  | 'invitation'
  /** In its place where the address is a user's. */
  | 'invitation_not_possible'
  /** The link that leaves a person out; to somebody who need not be a user. */
  | 'opt_out';

/** A mail that is to be sent, as it is kept until then. */
export interface QueuedMail {
  readonly mailId: MailId;
  readonly kind: MailKind;
  readonly email: string;
  readonly link?: { readonly linkId: OneTimeLinkId; readonly purpose: LinkPurpose };
  /** Of an invitation. */
  readonly accountName?: string;
}

/** Mails that are to be sent. */
export interface MailQueue {
  /**
   * Answers what is to be sent now: what is asked for may not be what is true, for example where the address has become
   * a user's. A link's time begins now. Answers nothing when there is nothing to send any more.
   */
  take(mailId: MailId, now: Date): Promise<QueuedMail | undefined>;
  /** The mail has been sent, or cannot be. */
  drop(mailId: MailId): Promise<void>;
  /** Deletes mails and links that are of no use any more. */
  sweep(now: Date): Promise<void>;
}
