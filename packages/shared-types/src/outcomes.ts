import { z } from 'zod';

/** What a customer can report of mail that was sent. */
export const reportableOutcomes = ['delivered', 'replied', 'bounced'] as const;

export type ReportableOutcome = (typeof reportableOutcomes)[number];

/** What an outcome means for the mailbox; a bounce is judged by its code and text. */
export const outcomeKinds = {
  delivered: 'Mail was delivered and did not come back.',
  replied: 'Somebody answered from the address.',
  mailbox_missing: 'Mail came back because the mailbox does not exist.',
  mailbox_disabled: 'Mail came back because the mailbox is disabled.',
  mailbox_full: 'Mail came back because the mailbox is full, so it exists.',
  mailbox_rate_limited: 'Mail came back because the mailbox receives too much, so it exists.',
  not_about_mailbox:
    'Mail came back for a reason that says nothing about the mailbox, or none that can be read.',
} as const satisfies Readonly<Record<string, string>>;

export type OutcomeKind = keyof typeof outcomeKinds;

const outcomeKindNames = Object.keys(outcomeKinds) as [OutcomeKind, ...OutcomeKind[]];

/** Why a reported outcome is not recorded. */
export const outcomeRefusals = {
  invalid_email_address: 'The address breaks the rules of RFC 5321 or RFC 6531.',
  in_the_future: 'The outcome lies in the future.',
  too_old: 'The outcome is older than outcomes are kept.',
} as const satisfies Readonly<Record<string, string>>;

export type OutcomeRefusal = keyof typeof outcomeRefusals;

export const outcomeRefusal = z.enum(Object.keys(outcomeRefusals) as [OutcomeRefusal, ...OutcomeRefusal[]]);

/** How many outcomes of each kind there are. */
export const outcomeCounts = z
  .record(z.enum(outcomeKindNames), z.int().nonnegative())
  .describe('How many outcomes of each kind, repeated ones included. Bounces are judged by code and text.');

/** A count of nothing, to be added to. */
export function countNoOutcomes(): Record<OutcomeKind, number> {
  return Object.fromEntries(outcomeKindNames.map(kind => [kind, 0])) as Record<OutcomeKind, number>;
}
