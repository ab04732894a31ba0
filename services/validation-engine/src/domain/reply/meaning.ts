/**
 * What a reply says. Those of the first group speak of the recipient; the others speak of us, of the host or of
 * this moment, and never of the mailbox.
 */
export const recipientMeanings = [
  'accepted',
  'missing',
  /** Says that there is no such mailbox, with a code that passes: Postfix with `soft_bounce`, for one. */
  'missing_for_now',
  'disabled',
  'full',
  'rate_limited',
] as const;

export const otherMeanings = [
  /** Asks strangers to come back later (RFC 6647). */
  'greylisted',
  /** Turns our own address, name or reputation away. */
  'blocked',
  /** Refuses by a rule that is not about whether the mailbox exists. */
  'policy',
  /** A lasting refusal of this recipient without any readable ground. */
  'refused',
  /** Takes no mail at all, for no readable reason (RFC 5321 section 3.1, RFC 7504). */
  'no_service',
  /** A passing fault. */
  'temporary',
  /** Takes no more recipients in this transaction (RFC 5321 section 4.5.3.1.10). */
  'too_many_recipients',
  /** Wants STARTTLS first (RFC 3207 section 4). */
  'tls_required',
  /** A reply that makes no sense at this point. */
  'unexpected',
] as const;

export type Meaning = (typeof recipientMeanings)[number] | (typeof otherMeanings)[number];
