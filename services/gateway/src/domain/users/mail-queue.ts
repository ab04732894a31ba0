import type { MailId } from '@mailproof/shared-types';
import type { LinkPurpose, OneTimeLinkId } from './one-time-link.ts';

/** The kind of content of a mail. */
export type MailKind =
  /** The link that creates an account. */
  | 'sign_up'
  /** Replaces `sign_up` if the address is a user's: the link that resets the password. */
  | 'already_user'
  | 'password_reset'
  | 'email_change'
  /** Replaces `email_change` if the address is another user's. */
  | 'address_in_use'
  /** Sent to the old address. */
  | 'email_change_notice'
  | 'password_changed_notice'
  | 'invitation'
  /** Replaces `invitation` if the address is a user's. */
  | 'invitation_not_possible'
  /** The link that opts a person out; the recipient need not be a user. */
  | 'opt_out';

/** A queued mail. */
export interface QueuedMail {
  readonly mailId: MailId;
  readonly kind: MailKind;
  readonly email: string;
  readonly link?: { readonly linkId: OneTimeLinkId; readonly purpose: LinkPurpose };
  /** Set for an invitation. */
  readonly accountName?: string;
}

/** The queue of outgoing mail. */
export interface MailQueue {
  /**
   * Returns the mail to send now, which can differ from the requested kind, for example if the address has since become
   * a user's. A link's lifetime starts now. Returns undefined if there is nothing left to send.
   */
  take(mailId: MailId, now: Date): Promise<QueuedMail | undefined>;
  /** Removes a mail that was sent or cannot be sent. */
  drop(mailId: MailId): Promise<void>;
  /** Deletes mails and links that are no longer needed. */
  sweep(now: Date): Promise<void>;
}
