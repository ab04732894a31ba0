import { z } from 'zod';

/** The outcomes that a customer can report about sent mail. */
export const reportableOutcomes = ['delivered', 'replied', 'bounced'] as const;

export type ReportableOutcome = (typeof reportableOutcomes)[number];

/** What an outcome means for the mailbox; bounces are classified by their code and text. */
export const outcomeKinds = {
  delivered: 'Mail was delivered and did not bounce.',
  replied: 'The recipient replied.',
  mailbox_missing: 'Mail bounced: the mailbox does not exist.',
  mailbox_disabled: 'Mail bounced: the mailbox is disabled.',
  mailbox_full: 'Mail bounced: the mailbox is full, so it exists.',
  mailbox_rate_limited: 'Mail bounced: the mailbox receives too much mail, so it exists.',
  not_about_mailbox: 'Mail bounced for a reason that is unreadable or unrelated to the mailbox.',
} as const satisfies Readonly<Record<string, string>>;

export type OutcomeKind = keyof typeof outcomeKinds;

const outcomeKindNames = Object.keys(outcomeKinds) as [OutcomeKind, ...OutcomeKind[]];

/** The reasons why a reported outcome is not recorded. */
export const outcomeRefusals = {
  invalid_email_address: 'The address breaks the rules of RFC 5321 or RFC 6531.',
  in_the_future: 'The outcome is in the future.',
  too_old: 'The outcome is too old to be kept.',
} as const satisfies Readonly<Record<string, string>>;

export type OutcomeRefusal = keyof typeof outcomeRefusals;

export const outcomeRefusal = z.enum(Object.keys(outcomeRefusals) as [OutcomeRefusal, ...OutcomeRefusal[]]);

/** The number of outcomes of each kind. */
export const outcomeCounts = z
  .record(z.enum(outcomeKindNames), z.int().nonnegative())
  .describe(
    'Number of outcomes of each kind, including duplicates. Bounces are classified by code and text.',
  );

/** Returns a count of zero for each kind. */
export function countNoOutcomes(): Record<OutcomeKind, number> {
  return Object.fromEntries(outcomeKindNames.map(kind => [kind, 0])) as Record<OutcomeKind, number>;
}
