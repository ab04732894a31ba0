import { z } from 'zod';
import { oneLine, oneLineFault } from '../../discovery/one-line.ts';
import { validationJobId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import {
  fileEncodings,
  validationJob,
  validationJobOrigins,
  validationJobStates,
} from '../../validation-jobs/validation-job.ts';
import { validationJobRow } from '../../validation-jobs/validation-job-row.ts';
import { emailTypes, validationResults } from '../../verdict.ts';
import { queryNumber } from '../internal/ledger/parts.ts';
import { noBody, noParams, noQuery, streamedBody } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';
import { memberOnly, nextCursorField } from './view-parts.ts';

const tag = 'Validation jobs';
const jobParams = z.strictObject({ job_id: validationJobId });

const jobName = z.string().trim().min(1).max(limits.jobNameCharactersMax).regex(oneLine, oneLineFault);

/** A query string has text alone; what was parsed is passed on and parsed again. */
const queryFlag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')])
  .describe('`true` or `false`.');

/** Types that people's programs give to such files; what they say of the encoding is not believed. */
const fileMediaTypes = ['text/plain', 'application/octet-stream', 'application/vnd.ms-excel'] as const;

/** What can be wrong with rows that come in. */
const intakeProblems = [
  'file_not_readable',
  'no_addresses_found',
  'too_many_rows',
  'too_many_unstarted_jobs',
  'request_timeout',
] as const;

const rowsMax = limits.jobRowsMax.toLocaleString('en');

/** A job from a file. */
export const createValidationJob = defineOperation({
  id: 'create-validation-job',
  method: 'post',
  path: '/app/v1/validation-jobs',
  summary: 'Take in a file of addresses',
  tag,
  description: `Reads a file and shows what is in it before any charge; nothing is validated before the start. Send the file itself as the body. Delimiter, encoding, header and the column with the addresses are found out; what you know better, say by parameters, or change afterwards.

CSV with any delimiter, in UTF-8, UTF-16 or a named encoding; what is neither marked nor UTF-8 is read as windows-1252, and the job says that this was a guess. Cells may be quoted and hold line breaks. Rows may have fewer or more cells than the header. Cells are kept as they are. Empty lines, and rows of empty cells at the end, are passed over. Several columns of one name are told apart by a number, as in \`email (2)\`. A cell may say \`Name <address>\`; quotes around an address, and a comma, semicolon or dot behind it, are taken away. A row whose address holds damaged or invisible characters, or letters of a guessed encoding, is \`invalid\` and free.

At most ${rowsMax} rows, ${limits.jobUploadBytesMax / 1_000_000} MB, ${limits.jobColumnsMax} columns and ${limits.cellCharactersMax.toLocaleString('en')} characters in a cell; it has to arrive within ${limits.uploadMsMax / 60_000} minutes. What is refused leaves nothing behind.`,
  access: memberOnly,
  params: noParams,
  query: z.strictObject({
    name: jobName.optional().describe('What the job is called, such as the name of the file.'),
    delimiter: z
      .string()
      .regex(/^(?:none|tab|[^"\r\n\0])$/u, 'must be one character other than a quote, `tab` or `none`')
      .optional()
      .describe('The character between cells, or `tab`, or `none` where each line is one cell.'),
    encoding: z.enum(fileEncodings).optional(),
    has_header: queryFlag.optional().describe('Whether the first line names the columns.'),
  }),
  body: streamedBody,
  bodyBytesMax: limits.jobUploadBytesMax,
  bodyMsMax: limits.uploadMsMax,
  bodyMediaType: 'text/csv',
  otherBodyMediaTypes: fileMediaTypes,
  bodyIsUndecoded: true,
  bodyExample: 'name,email\nAda,ada@company.example\nGrace,grace@company.example\n',
  success: { status: 201, description: 'The job, ready to be started.', schema: validationJob },
  repeatable: false,
  problems: intakeProblems,
});

/** A job from addresses that somebody pasted. */
export const createValidationJobFromList = defineOperation({
  id: 'create-validation-job-from-list',
  method: 'post',
  path: '/app/v1/validation-jobs/pasted',
  summary: 'Take in a pasted list of addresses',
  tag,
  description: `Reads addresses as people paste them: one a line, or with commas, semicolons or tabs between; \`Name <address>\` keeps the name as a column of its own. Send the text itself as the body, in UTF-8. At most ${rowsMax} addresses and ${limits.jobListBytesMax / 1_000_000} MB.`,
  access: memberOnly,
  params: noParams,
  query: z.strictObject({ name: jobName.optional().describe('What the job is called.') }),
  body: streamedBody,
  bodyBytesMax: limits.jobListBytesMax,
  bodyMsMax: limits.uploadMsMax,
  bodyMediaType: 'text/plain',
  bodyExample: 'ada@company.example, grace@company.example\nAlan <alan@company.example>\n',
  success: { status: 201, description: 'The job, ready to be started.', schema: validationJob },
  repeatable: false,
  problems: intakeProblems,
});

/** The jobs of the account. */
export const listValidationJobs = defineOperation({
  id: 'list-validation-jobs',
  method: 'get',
  path: '/app/v1/validation-jobs',
  summary: 'Validation jobs',
  tag,
  description: 'The jobs of the account, newest first.',
  access: memberOnly,
  params: noParams,
  query: z.strictObject({
    ...pageOf,
    state: z.enum(validationJobStates).optional(),
    origin: z.enum(validationJobOrigins).optional(),
  }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of jobs.',
    schema: z
      .object({ jobs: z.array(validationJob), next_cursor: nextCursorField })
      .meta({ id: 'ValidationJobs' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** One job. */
export const getValidationJob = defineOperation({
  id: 'get-validation-job',
  method: 'get',
  path: '/app/v1/validation-jobs/:job_id',
  summary: 'A validation job',
  tag,
  description: 'What is in it, what it would cost, and how it is getting on.',
  access: memberOnly,
  params: jobParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found'],
});

/** Says how the rows of a job are to be read. */
export const changeValidationJob = defineOperation({
  id: 'change-validation-job',
  method: 'put',
  path: '/app/v1/validation-jobs/:job_id',
  summary: 'Change a validation job',
  tag,
  description:
    'Changes what is given and leaves the rest. Before the start, the column with the addresses and whether the first line is a header can be changed, and everything is counted anew; the name can be changed at any time.',
  access: memberOnly,
  params: jobParams,
  query: noQuery,
  body: z
    .strictObject({
      name: jobName.optional(),
      address_column: z
        .int()
        .nonnegative()
        .max(limits.jobColumnsMax - 1)
        .optional()
        .describe('Position of the column with the addresses, from 0.'),
      has_header: z.boolean().optional().describe('Of a file: whether its first line names the columns.'),
    })
    .meta({ id: 'ValidationJobChange' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_started', 'file_not_readable', 'no_addresses_found', 'too_many_rows'],
});

/** Deletes a job with its rows. */
export const deleteValidationJob = defineOperation({
  id: 'delete-validation-job',
  method: 'delete',
  path: '/app/v1/validation-jobs/:job_id',
  summary: 'Delete a validation job',
  tag,
  description:
    'Deletes the job with its rows and verdicts, at any time at which it is not under way. From the answer on nobody sees it; the rows are gone within minutes. What it spent stays spent, and its receipt stays.',
  access: memberOnly,
  params: jobParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'It is gone.', schema: z.object({ job_id: validationJobId }) },
  repeatable: false,
  problems: ['job_not_found', 'job_under_way'],
});

/** Which rows of a job are shown. */
export const rowKinds = ['valid', 'broken', 'blank', 'duplicate'] as const;

export type RowKind = (typeof rowKinds)[number];

/** The rows of a job. */
export const listValidationJobRows = defineOperation({
  id: 'list-validation-job-rows',
  method: 'get',
  path: '/app/v1/validation-jobs/:job_id/rows',
  summary: 'Rows of a validation job',
  tag,
  description:
    'The rows in the order of the file, with their cells and what was found out about their addresses. A page may have fewer rows than asked for where cells are long; the last one has no `next_cursor`. With `from_row` any place of the file can be gone to at once, and with `skip` any place of a filtered list.',
  access: memberOnly,
  params: jobParams,
  query: z.strictObject({
    ...pageOf,
    from_row: queryNumber(1, limits.jobRowsMax)
      .optional()
      .describe('Begin with this row, from 1; `cursor` comes first where both are given.'),
    skip: queryNumber(0, limits.jobRowsMax)
      .optional()
      .describe('Pass over so many rows, of those that the filters let through, from where the page begins.'),
    result: z
      .enum([...validationResults, 'none'])
      .optional()
      .describe('Rows with this result alone; `none`: rows that have none yet, or have no address.'),
    kind: z
      .enum(rowKinds)
      .optional()
      .describe('Rows of this kind alone, as the job counts them; duplicate rows are valid ones too.'),
  }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of rows.',
    schema: z
      .object({ rows: z.array(validationJobRow), next_cursor: nextCursorField })
      .meta({ id: 'ValidationJobRows' }),
  },
  repeatable: true,
  problems: ['job_not_found', 'invalid_cursor'],
});

const rowCount = z.int().nonnegative();
const countsByResult = z.record(z.enum(validationResults), rowCount);

/** What was found out, in numbers. */
export const validationJobSummary = z
  .object({
    providers: z
      .array(
        z.object({
          provider: z
            .string()
            .nullable()
            .describe('Who runs the mail hosts. Null where nobody is known, or there is no mail host.'),
          rows: rowCount,
          results: countsByResult,
        }),
      )
      .max(limits.summaryProvidersMax + 1)
      .describe('Those with the most rows, most first; the rows of null come last.'),
    other_providers: z
      .object({ providers: rowCount, rows: rowCount, results: countsByResult })
      .nullable()
      .describe('The providers that are not in the list, together. Null where all are in it.'),
    email_types: z
      .array(z.object({ email_type: z.enum(emailTypes).nullable(), rows: rowCount }))
      .describe('Most rows first.'),
    reasons: z
      .array(z.object({ result: z.enum(validationResults), reason: z.string(), rows: rowCount }))
      .describe('Most rows first.'),
  })
  .meta({ id: 'ValidationJobSummary' });

export type ValidationJobSummary = z.output<typeof validationJobSummary>;

/** The verdicts of a job in numbers. */
export const summarizeValidationJob = defineOperation({
  id: 'summarize-validation-job',
  method: 'get',
  path: '/app/v1/validation-jobs/:job_id/summary',
  summary: 'Results of a validation job in numbers',
  tag,
  description: `Rows with a result so far, by mail provider, by kind of address and by reason: each of them is in each of the three once. At most ${limits.summaryProvidersMax} providers are named. Rows that have no result yet, or no address, are in none.`,
  access: memberOnly,
  params: jobParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The numbers.', schema: validationJobSummary },
  repeatable: true,
  problems: ['job_not_found'],
});
