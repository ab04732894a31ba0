import { z } from 'zod';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { outcomeCounts, outcomeRefusal, reportableOutcomes } from '../../outcomes.ts';
import { noParams, noQuery } from '../public-parts.ts';

/** One address with what became of mail to it. The address is text: a report is not refused for one bad row. */
const reportedOutcome = z.strictObject({
  email: z.string().max(1_000),
  outcome: z.enum(reportableOutcomes),
  observedAt: z.iso
    .datetime({ offset: true })
    .describe('When it happened; the same outcome counts once a moment.'),
  code: z
    .string()
    .max(100)
    .optional()
    .describe('Reply code, enhanced code or both of a bounce, such as `550 5.1.1`.'),
  text: z
    .string()
    .max(limits.bounceTextCharactersMax)
    .optional()
    .describe('The bounce’s own words, such as the diagnostic code of a delivery status notification.'),
});

export type ReportedOutcome = z.input<typeof reportedOutcome>;

const outcomeReport = z.object({
  recorded: z.int().nonnegative().describe('Outcomes that were not known before.'),
  repeated: z.int().nonnegative().describe('Outcomes that this account had reported already.'),
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
    'Records what became of mail that an account sent. Addresses are kept as keyed hashes alone. A report that is sent twice counts once.',
  access: { kind: 'service', callers: ['gateway'] },
  params: noParams,
  query: noQuery,
  body: z.strictObject({
    accountId: accountId.describe('The account that reports.'),
    outcomes: z.array(reportedOutcome).min(1).max(limits.outcomesPerReportMax),
  }),
  // Every row at its longest, most characters of it escaped.
  bodyBytesMax: 8_000_000,
  success: { status: 200, description: 'What became of each row.', schema: outcomeReport },
  repeatable: true,
  problems: ['invalid_request'],
});
