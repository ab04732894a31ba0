import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { oneLine, oneLineFault } from '../../discovery/filter-parts.ts';
import { workbookMediaType } from '../../exports/csv-options.ts';
import { validationJobId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import {
  fileEncodings,
  validationJob,
  validationJobOrigins,
  validationJobStates,
} from '../../validation-jobs/validation-job.ts';
import { validationJobRow } from '../../validation-jobs/validation-job-row.ts';
import { emailTypes, validationResults } from '../../verdict.ts';
import { withCommas } from '../../with-commas.ts';
import { queryNumber } from '../internal/ledger/parts.ts';
import { streamedBody } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const parts = {
  tag: 'Validation jobs',
  answeredBy: 'validation-engine',
  access: memberOrKey('validation'),
  sandbox: true,
} as const;

const jobParams = z.strictObject({ job_id: validationJobId });

const jobName = z.string().trim().min(1).max(limits.jobNameCharactersMax).regex(oneLine, oneLineFault);

/**
 * A boolean query parameter. It accepts a boolean too, because the gateway forwards the parsed value, which is parsed
 * again.
 */
const queryFlag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')])
  .describe('`true` or `false`.');

/** Other media types that clients send for CSV files; their charset is ignored. */
const fileMediaTypes = ['text/plain', 'application/octet-stream', 'application/vnd.ms-excel'] as const;

/** Workbooks, with and without macros. */
const workbook = { schema: { type: 'string', format: 'binary' } } as const;
const workbookForms = {
  [workbookMediaType]: workbook,
  'application/vnd.ms-excel.sheet.macroenabled.12': workbook,
} as const;

const record = { email: 'ada@company.example', name: 'Ada', visits: 3, customer: true };

/** Rows as JSON: an address, or an object with an address and other fields. */
const recordForms = {
  'application/json': {
    schema: {
      type: 'array',
      maxItems: limits.jobRowsMax,
      items: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            required: ['email'],
            properties: { email: { type: ['string', 'null'] } },
            additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
          },
        ],
      },
    },
    example: [record, { email: 'grace@company.example' }, 'alan@company.example'],
  },
  'application/x-ndjson': {
    schema: { type: 'string' },
    example: `${JSON.stringify(record)}\n"alan@company.example"\n`,
  },
} as const;

/** Problems that the rows of a new job can cause. */
const intakeProblems = [
  'file_not_readable',
  'no_addresses_found',
  'not_a_sandbox_address',
  'too_many_rows',
  'too_many_unstarted_jobs',
  'request_timeout',
  'idempotency_key_in_use',
  'idempotency_key_reused',
] as const;

const rowsMax = withCommas(limits.jobRowsMax);
const uploadKeyNote =
  'With the same `Idempotency-Key`, a repeated upload returns the job that the first one created, until the job is deleted.';

/** Creates a job from a file. */
export const createValidationJob = defineOperation({
  ...parts,
  id: 'create-validation-job',
  method: 'post',
  path: '/app/v1/validation-jobs',
  summary: 'Upload a list of addresses',
  description: `Reads a file and shows what it contains before anything is charged; validation begins only when you start the job. Send the file itself as the body. Delimiter, encoding, header and email column are detected; override them with parameters, or change them later.

Accepts CSV with any delimiter, in UTF-8, UTF-16 or a named encoding. A file that neither declares its encoding nor is UTF-8 is read as windows-1252, and the job says that this was a guess. Cells may be quoted and contain line breaks. Rows may have fewer or more cells than the header. Cells are kept unchanged. Empty lines, and rows of empty cells at the end, are skipped. Columns with the same name are numbered, as in \`email (2)\`. A cell may contain \`Name <address>\`; quotes around an address, and a comma, semicolon or period after it, are removed. A row whose address contains damaged or invisible characters, or non-ASCII letters in a guessed encoding, is \`invalid\` and free.

Also accepts JSON in UTF-8: an array, or one value a line (NDJSON). A row is an address as text, or an object with an \`email\` and other fields of text, numbers, booleans or null, which become columns. Nested values, and names that occur twice, are refused. \`delimiter\`, \`encoding\` and \`has_header\` are not for JSON.

Also accepts Excel workbooks (.xlsx, and .xlsm without its macros), recognized by their content, not by the media type: the first visible sheet, or the one that \`sheet\` names. Cells have their stored value; a formula has its last result and is never evaluated. Dates become ISO 8601, numbers have up to 15 digits without their format, and truth values are \`TRUE\` or \`FALSE\`. Rows without a value are skipped. \`delimiter\` and \`encoding\` are for CSV only. At most ${limits.workbookBytesMax / 1_000_000} MB.

At most ${rowsMax} rows, ${limits.jobUploadBytesMax / 1_000_000} MB, ${limits.jobColumnsMax} columns and ${withCommas(limits.cellCharactersMax)} characters per cell; the upload must finish within ${limits.uploadMsMax / 60_000} minutes. Nothing is stored from a rejected file. ${uploadKeyNote}`,
  query: z.strictObject({
    name: jobName.optional().describe('Name of the job, such as the file name.'),
    delimiter: z
      .string()
      .regex(/^(?:none|tab|[^"\r\n\0])$/u, 'must be one character other than a quote, or `tab` or `none`')
      .optional()
      .describe('The character between cells, or `tab`, or `none` if each line is one cell.'),
    encoding: z.enum(fileEncodings).optional(),
    has_header: queryFlag.optional().describe('Whether the first line contains the column names.'),
    sheet: z
      .string()
      .min(1)
      .max(limits.sheetNameCharactersMax)
      .optional()
      .describe('The sheet of a workbook, by its name, or by its number from 1.'),
  }),
  body: streamedBody,
  bodyBytesMax: limits.jobUploadBytesMax,
  bodyMsMax: limits.uploadMsMax,
  bodyMediaType: 'text/csv',
  otherBodyMediaTypes: fileMediaTypes,
  otherBodyForms: { ...workbookForms, ...recordForms },
  bodyIsUndecoded: true,
  bodyExample: 'name,email\nAda,ada@company.example\nGrace,grace@company.example\n',
  success: { status: 201, description: 'The job, ready to start.', schema: validationJob },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: intakeProblems,
});

/** Creates a job from pasted addresses. */
export const createValidationJobFromList = defineOperation({
  ...parts,
  id: 'create-validation-job-from-list',
  method: 'post',
  path: '/app/v1/validation-jobs/pasted',
  summary: 'Upload a pasted list of addresses',
  description: `Reads addresses as people paste them: one per line, or separated by commas, semicolons or tabs; \`Name <address>\` keeps the name as a separate column. Send the text itself as the body, in UTF-8. At most ${rowsMax} addresses and ${limits.jobListBytesMax / 1_000_000} MB. ${uploadKeyNote}`,
  query: z.strictObject({ name: jobName.optional().describe('Name of the job.') }),
  body: streamedBody,
  bodyBytesMax: limits.jobListBytesMax,
  bodyMsMax: limits.uploadMsMax,
  bodyMediaType: 'text/plain',
  bodyExample: 'ada@company.example, grace@company.example\nAlan <alan@company.example>\n',
  success: { status: 201, description: 'The job, ready to start.', schema: validationJob },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: intakeProblems,
});

/** Lists the account's jobs. */
export const listValidationJobs = defineOperation({
  ...parts,
  id: 'list-validation-jobs',
  method: 'get',
  path: '/app/v1/validation-jobs',
  summary: 'Validation jobs',
  description: 'The account’s jobs, newest first.',
  query: z.strictObject({
    ...pageOf,
    state: z.enum(validationJobStates).optional(),
    origin: z.enum(validationJobOrigins).optional(),
  }),
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

/** Gets a job. */
export const getValidationJob = defineOperation({
  ...parts,
  id: 'get-validation-job',
  method: 'get',
  path: '/app/v1/validation-jobs/:job_id',
  summary: 'Get a validation job',
  description: 'The job with its contents, price and progress.',
  params: jobParams,
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found'],
});

/** Changes how the rows of a job are read. */
export const changeValidationJob = defineOperation({
  ...parts,
  id: 'change-validation-job',
  method: 'put',
  path: '/app/v1/validation-jobs/:job_id',
  summary: 'Change a validation job',
  description:
    'Changes the given fields and keeps the others. Before the start you can change the email column and whether the first line is a header, and everything is counted again; you can change the name at any time.',
  // The service recounts all rows of the job.
  answerMsMax: 60_000,
  params: jobParams,
  body: z
    .strictObject({
      name: jobName.optional(),
      address_column: z
        .int()
        .nonnegative()
        .max(limits.jobColumnsMax - 1)
        .optional()
        .describe('Position of the email column, from 0.'),
      has_header: z
        .boolean()
        .optional()
        .describe('For a file: whether its first line contains the column names.'),
    })
    .meta({ id: 'ValidationJobChange' }),
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: [
    'job_not_found',
    'job_started',
    'file_not_readable',
    'no_addresses_found',
    'not_a_sandbox_address',
    'too_many_rows',
  ],
});

/** Deletes a job with its rows. */
export const deleteValidationJob = defineOperation({
  ...parts,
  id: 'delete-validation-job',
  method: 'delete',
  path: '/app/v1/validation-jobs/:job_id',
  summary: 'Delete a validation job',
  description:
    'Deletes the job with its rows and verdicts, unless it is in progress. The job is no longer visible once the response arrives; its rows are deleted within minutes. Spent credits are not refunded, and the receipt is kept.',
  params: jobParams,
  success: { status: 200, description: 'The job is deleted.', schema: z.object({ job_id: validationJobId }) },
  repeatable: false,
  problems: ['job_not_found', 'job_under_way'],
});

/** The kinds of rows that a list can be filtered by. */
export const rowKinds = ['valid', 'broken', 'blank', 'duplicate'] as const;

export type RowKind = (typeof rowKinds)[number];

/** Lists the rows of a job. */
export const listValidationJobRows = defineOperation({
  ...parts,
  id: 'list-validation-job-rows',
  method: 'get',
  path: '/app/v1/validation-jobs/:job_id/rows',
  summary: 'List the rows of a validation job',
  description:
    'The rows in file order, with their cells and the results for their addresses. A page may have fewer rows than requested if cells are long; the last page has no `next_cursor`. Use `from_row` to jump to any row of the file, and `skip` to jump to any position in a filtered list.',
  params: jobParams,
  query: z.strictObject({
    ...pageOf,
    from_row: queryNumber(1, limits.jobRowsMax)
      .optional()
      .describe('Start at this row, from 1; `cursor` takes precedence.'),
    skip: queryNumber(0, limits.jobRowsMax)
      .optional()
      .describe('Number of matching rows to skip from the start of the page.'),
    result: z
      .enum([...validationResults, 'none'])
      .optional()
      .describe('Only rows with this result; `none`: rows without a result yet, or without an address.'),
    kind: z
      .enum(rowKinds)
      .optional()
      .describe('Only rows of this kind, as the job counts them; duplicate rows are also valid rows.'),
    with_cells: queryFlag
      .default(true)
      .describe('`false`: `cells` is empty, for a client that needs only the addresses and the results.'),
  }),
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

/** The results of a job as counts. */
export const validationJobSummary = z
  .object({
    providers: z
      .array(
        z.object({
          provider: z
            .string()
            .nullable()
            .describe(
              'Provider of the mail hosts. Null if the provider is unknown or there is no mail host.',
            ),
          rows: rowCount,
          results: countsByResult,
        }),
      )
      .max(limits.summaryProvidersMax + 1)
      .describe('Providers with the most rows, most first; rows with null come last.'),
    other_providers: z
      .object({ providers: rowCount, rows: rowCount, results: countsByResult })
      .nullable()
      .describe('All providers not in the list, combined. Null if the list is complete.'),
    domains: z
      .array(z.object({ domain: z.string(), rows: rowCount, results: countsByResult }))
      .max(limits.summaryDomainsMax)
      .describe('Domains of the addresses with the most rows, most first.'),
    other_domains: z
      .object({ domains: rowCount, rows: rowCount, results: countsByResult })
      .nullable()
      .describe('All domains not in the list, combined. Null if the list is complete.'),
    email_types: z
      .array(z.object({ email_type: z.enum(emailTypes).nullable(), rows: rowCount }))
      .describe('Most rows first.'),
    reasons: z
      .array(z.object({ result: z.enum(validationResults), reason: z.string(), rows: rowCount }))
      .describe('Most rows first.'),
  })
  .meta({ id: 'ValidationJobSummary' });

export type ValidationJobSummary = z.output<typeof validationJobSummary>;

/** Counts the verdicts of a job. */
export const summarizeValidationJob = defineOperation({
  ...parts,
  id: 'summarize-validation-job',
  method: 'get',
  path: '/app/v1/validation-jobs/:job_id/summary',
  summary: 'Summarize the results of a validation job',
  description: `Rows with a result so far, by mail provider, by domain, by kind of address and by reason; each row is counted once in each breakdown. At most ${limits.summaryProvidersMax} providers and ${limits.summaryDomainsMax} domains are listed. Rows without a result yet are not counted; rows whose cell is no address have no domain.`,
  params: jobParams,
  success: { status: 200, description: 'The summary.', schema: validationJobSummary },
  repeatable: true,
  problems: ['job_not_found'],
});
