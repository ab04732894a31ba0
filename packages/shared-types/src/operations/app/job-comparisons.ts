import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { validationJobId } from '../../ids.ts';
import { validationResults } from '../../verdict.ts';
import { streamedAnswer } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';
import { memberOrKey, moment, nextCursorField } from './view-parts.ts';

const root = '/app/v1/validation-jobs/:job_id/comparison';
const count = z.int().nonnegative();
const result = z.enum(validationResults);

const comparedJobs = {
  earlier_job_id: validationJobId.describe('The earlier job that the results are compared with.'),
};
const chosen = {
  ...comparedJobs,
  from: result.optional().describe('Only addresses with this result in the earlier job.'),
  to: result.optional().describe('Only addresses with this result in this job.'),
};

const parts = {
  tag: 'Validation jobs',
  answeredBy: 'validation-engine',
  // The service joins the addresses of both jobs.
  answerMsMax: 60_000,
  access: memberOrKey('validation'),
  sandbox: true,
  params: z.strictObject({ job_id: validationJobId }),
  repeatable: true,
} as const;

/** What changed from one job to another, in distinct addresses. */
export const validationJobComparison = z
  .object({
    job_id: validationJobId,
    earlier_job_id: validationJobId,
    changed: count.describe('Addresses with another result than in the earlier job.'),
    same: count.describe('Addresses with the same result in both.'),
    open: count.describe('Addresses in both that lack a result in one of them.'),
    added: count.describe('Addresses that only this job has.'),
    removed: count.describe('Addresses that only the earlier job has.'),
    changes: z
      .array(z.object({ from: result, to: result, addresses: count }))
      .describe('The changes by result, most addresses first.'),
  })
  .meta({ id: 'ValidationJobComparison' });

export type ValidationJobComparison = z.output<typeof validationJobComparison>;

const comparedResult = z.object({
  result,
  reason: z.string(),
  validated_at: moment.nullable().describe('Time of the verdict.'),
});

/** An address whose result changed. */
export const changedAddress = z
  .object({ email: z.string(), from: comparedResult, to: comparedResult })
  .meta({ id: 'ChangedAddress' });

export type ChangedAddress = z.output<typeof changedAddress>;

/** Counts what changed between two jobs. */
export const compareValidationJobs = defineOperation({
  ...parts,
  id: 'compare-validation-jobs',
  method: 'get',
  path: root,
  summary: 'Compare two validation jobs',
  description:
    'Compares the results of a job with those of an earlier one, by address: how many changed, and from which result to which. Letter case makes no difference, and duplicates count once. Free.',
  query: z.strictObject(comparedJobs),
  success: { status: 200, description: 'The comparison.', schema: validationJobComparison },
  problems: ['job_not_found'],
});

/** Lists the addresses whose result changed. */
export const listChangedAddresses = defineOperation({
  ...parts,
  id: 'list-changed-addresses',
  method: 'get',
  path: `${root}/addresses`,
  summary: 'List changed addresses',
  description: 'The addresses whose result differs from the earlier job, in the order of this job. Free.',
  query: z.strictObject({ ...pageOf, ...chosen }),
  success: {
    status: 200,
    description: 'A page of addresses.',
    schema: z
      .object({ addresses: z.array(changedAddress), next_cursor: nextCursorField })
      .meta({ id: 'ChangedAddresses' }),
  },
  problems: ['job_not_found', 'invalid_cursor'],
});

/** Downloads the addresses whose result changed. */
export const downloadChangedAddresses = defineOperation({
  ...parts,
  id: 'download-changed-addresses',
  method: 'get',
  path: `${root}/addresses.csv`,
  summary: 'Download changed addresses',
  description:
    'The addresses whose result differs from the earlier job as CSV in UTF-8 (RFC 4180), streamed, with both results, their reasons and times. An apostrophe is added where a spreadsheet would read a formula. Free.',
  query: z.strictObject(chosen),
  success: {
    status: 200,
    description: 'The file.',
    schema: streamedAnswer,
    mediaType: 'text/csv',
    headers: { 'content-disposition': { type: 'string', description: 'Suggested file name.' } },
  },
  problems: ['job_not_found'],
});
