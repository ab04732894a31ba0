/**
 * The meaning of a reply. Meanings of the first group are about the recipient; the others are about us, the host or the
 * moment, and never about the mailbox.
 */
export const recipientMeanings = [
  'accepted',
  'missing',
  /** Says that the mailbox does not exist, but with a transient code, for example Postfix with `soft_bounce`. */
  'missing_for_now',
  'disabled',
  'full',
  'rate_limited',
] as const;

export const otherMeanings = [
  /** Asks unknown clients to come back later (RFC 6647). */
  'greylisted',
  /** Rejects our address, name or reputation. */
  'blocked',
  /** Refuses by a rule that does not concern the existence of the mailbox. */
  'policy',
  /** A permanent refusal of this recipient without a readable reason. */
  'refused',
  /** Accepts no mail at all, for no readable reason (RFC 5321 section 3.1, RFC 7504). */
  'no_service',
  /** A transient fault. */
  'temporary',
  /** Accepts no more recipients in this transaction (RFC 5321 section 4.5.3.1.10). */
  'too_many_recipients',
  /** Requires STARTTLS first (RFC 3207 section 4). */
  'tls_required',
  /** A reply that makes no sense at this point. */
  'unexpected',
] as const;

export type Meaning = (typeof recipientMeanings)[number] | (typeof otherMeanings)[number];
