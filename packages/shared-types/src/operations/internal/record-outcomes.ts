import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { outcomeCounts, outcomeRefusal, reportableOutcomes } from '../../outcomes.ts';

/**
 * An address with the outcome of mail to it. The address is plain text, so that one bad row does not fail the report.
 */
const reportedOutcome = z.strictObject({
  email: z.string().max(1_000),
  outcome: z.enum(reportableOutcomes),
  observedAt: z.iso
    .datetime({ offset: true })
    .describe('When it happened; the same outcome at the same time counts once.'),
  code: z
    .string()
    .max(100)
    .optional()
    .describe('Reply code, enhanced code or both of a bounce, such as `550 5.1.1`.'),
  text: z
    .string()
    .max(limits.bounceTextCharactersMax)
    .optional()
    .describe('The bounce text, such as the diagnostic code of a delivery status notification.'),
  isSoft: z
    .boolean()
    .optional()
    .describe(
      'True if the mail provider does not blame the mailbox for the bounce, such as for a block. The bounce then never counts against the mailbox, regardless of its text.',
    ),
});

/**
 * The request header that says, with `true`, that the operator knows of a payment of the account: its outcomes count for
 * others too. It is not in the body, because a service of the previous release refuses members that it does not know.
 */
export const hasPaidHeader = 'x-mailproof-has-paid';

export function hasPaidHeaders(hasPaid: boolean): Readonly<Record<string, string>> {
  return hasPaid ? { [hasPaidHeader]: 'true' } : {};
}

export type ReportedOutcome = z.input<typeof reportedOutcome>;

const outcomeReport = z.object({
  recorded: z.int().nonnegative().describe('New outcomes.'),
  repeated: z.int().nonnegative().describe('Outcomes already reported by this account.'),
  kinds: outcomeCounts,
  refused: z.array(
    z.object({ row: z.int().nonnegative().describe('From 0.'), reason: outcomeRefusal, detail: z.string() }),
  ),
});

export type OutcomeReport = z.output<typeof outcomeReport>;

export const recordOutcomes = defineOperation({
  id: 'record-outcomes',
  method: 'post',
  path: '/internal/v1/outcomes',
  summary: 'Record outcomes',
  description:
    'Records the outcomes of mail that an account sent. Only keyed hashes of the addresses are stored. A report that is sent twice counts once.',
  answeredBy: 'validation-engine',
  access: { kind: 'service', callers: ['gateway', 'webhook-dispatcher'] },
  body: z.strictObject({
    accountId: accountId.describe('The account that reports.'),
    outcomes: z.array(reportedOutcome).min(1).max(limits.outcomesPerReportMax),
  }),
  // Large enough for rows of the maximum length with most characters escaped.
  bodyBytesMax: 8_000_000,
  success: { status: 200, description: 'The result for each row.', schema: outcomeReport },
  repeatable: true,
  problems: ['invalid_request'],
});
