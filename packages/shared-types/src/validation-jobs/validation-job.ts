import { z } from 'zod';
import { creatorId, validationJobId } from '../ids.ts';
import { limits } from '../limits.ts';
import { validationResults } from '../verdict.ts';

export const validationJobStates = [
  'receiving',
  'ready',
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
] as const;

export type ValidationJobState = (typeof validationJobStates)[number];

/** The sources of a job's rows. */
export const validationJobOrigins = ['file', 'list', 'crm'] as const;

export type ValidationJobOrigin = (typeof validationJobOrigins)[number];

/** The reasons why a job failed. Addresses that it validated before the failure are kept and charged. */
export const validationJobFailures = {
  upload_broken_off: 'The upload was interrupted.',
  credits_exhausted: 'The reserved credits expired, and the account has too few to reserve them again.',
  could_not_continue: 'The validation failed repeatedly.',
  timed_out: 'A required service was unavailable for a day.',
  paused_too_long: 'The job was paused for too long.',
} as const;

export type ValidationJobFailure = keyof typeof validationJobFailures;

/** Why addresses of a running job wait for another probe. */
export const validationJobWaits = ['greylisting', 'host_limit', 'retry'] as const;

export type ValidationJobWait = (typeof validationJobWaits)[number];

/** The encodings that a user can choose for a file, by their names in the WHATWG Encoding Standard. */
export const fileEncodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'iso-8859-2',
  'iso-8859-15',
  'koi8-r',
  'macintosh',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
] as const;

export type FileEncoding = (typeof fileEncodings)[number];

/** The formats in which rows come in and go out. */
export const fileFormats = ['csv', 'ndjson', 'xlsx'] as const;

export type FileFormat = (typeof fileFormats)[number];

const count = z.int().nonnegative();
const credits = z.int().nonnegative();

/** A column of the rows, with its imported and its exported name. */
export const jobColumn = z
  .object({
    name: z
      .string()
      .describe(
        'As in the header; `column_1` and so on without a header. If several columns have one name, the second is `name (2)`.',
      ),
    exported_as: z
      .string()
      .describe(
        'Name of the column in exports: prefixed if one of our fields has the same name, such as `input_valid` for `valid`.',
      ),
    samples: z.array(z.string()).max(3).describe('Samples from the first rows in which it is not blank.'),
    address_share: z
      .number()
      .min(0)
      .max(1)
      .describe('Cells that are addresses, among the sampled non-blank cells.'),
  })
  .meta({ id: 'JobColumn' });

/** A validation job: the rows of a list that are validated together. */
export const validationJob = z
  .object({
    job_id: validationJobId,
    name: z.string(),
    origin: z.enum(validationJobOrigins).describe('Where the rows came from.'),
    state: z
      .enum(validationJobStates)
      .describe(
        '`receiving` until the rows have arrived; `ready` until it is started; `queued`, `running` and `paused` are in progress; the other states are final. A job that was finished early is `succeeded`. Results are kept in every state.',
      ),
    file: z
      .object({
        format: z.enum(['csv', 'xlsx']),
        octets: count,
        encoding: z.enum(fileEncodings).describe('`utf-8` for a workbook.'),
        encoding_is_guess: z
          .boolean()
          .describe(
            'True if the file neither declares its encoding nor is UTF-8, so it was read as windows-1252. Addresses with non-ASCII letters are then not validated: upload the file again with `encoding`.',
          ),
        delimiter: z.string().describe('Empty for a workbook, or if each line is one cell.'),
        has_header: z.boolean(),
        sheet: z.string().nullable().describe('The sheet that was read; null for CSV.'),
        sheets: z
          .array(z.string())
          .max(limits.workbookSheetsShownMax)
          .describe('The first sheets of the workbook; empty for CSV.'),
      })
      .nullable()
      .describe('How the file was read. Null for a pasted list, JSON and CRM records.'),
    test: z
      .boolean()
      .describe('Whether a test key created the job: it has addresses of the sandbox, and costs nothing.'),
    columns: z.array(jobColumn),
    address_column: count.nullable().describe('Position of the email column, from 0.'),
    rows: z
      .object({
        total: count,
        valid: count.describe('Rows with an address that can be validated.'),
        broken: count.describe(
          'Rows whose cell is not a valid address; they are kept, as `invalid`, free of charge.',
        ),
        blank: count.describe('Rows without an address.'),
        duplicate: count.describe(
          'Valid rows whose address appears in an earlier row, ignoring case; they are free.',
        ),
      })
      .meta({ id: 'ValidationJobRowCounts', description: 'Counted before anything is charged.' }),
    addresses: count.describe(
      'Distinct addresses. Each is validated as spelled in its first row, and charged at most once.',
    ),
    price: credits.describe('Credits per address with a verdict other than `unknown`.'),
    cost_max: credits.describe('Credits that starting the job reserves.'),
    reserved: credits.describe('Credits reserved.'),
    spent: credits.nullable().describe('Null until the job has ended.'),
    returned: credits.nullable().describe('Credits reserved but not spent. Null until the job has ended.'),
    receipt_id: z.string().describe('Id of the job’s receipt.'),
    spent_so_far: credits.describe(
      'Credits for the verdicts so far; they are charged when the job ends. Equals `spent` then.',
    ),
    done: count.describe('Addresses with a verdict so far.'),
    rows_open: count.describe('Rows with an address that has no result yet.'),
    waiting: count.describe('Addresses that wait for another probe; `waiting_for` says for what.'),
    waiting_for: z
      .array(
        z
          .object({
            reason: z
              .enum(validationJobWaits)
              .describe(
                '`greylisting`: the host asked us to retry later, as it asks unknown senders. `host_limit`: the sessions that the host gets at a time are in use. `retry`: the host or the network failed, and is probed again.',
              ),
            addresses: count,
            rows: count,
            next_at: z.iso.datetime().describe('When the first of them is probed again.'),
            until: z.iso
              .datetime()
              .describe('When the last of them is probed again; its host may then ask for another wait.'),
            mail_hosts: z
              .array(z.object({ mail_host: z.string(), addresses: count, next_at: z.iso.datetime() }))
              .max(limits.waitingHostsMax)
              .describe(`At most ${limits.waitingHostsMax}, those with the most addresses first.`),
          })
          .meta({ id: 'ValidationJobWait' }),
      )
      .describe('What waiting addresses wait for; most addresses first.'),
    progress: z.number().min(0).max(1).describe('The share of rows that are not open.'),
    per_second: z.number().nonnegative().nullable().describe('Recent addresses per second.'),
    seconds_left: count
      .nullable()
      .describe(
        'Estimated time until every address has been probed, including the waits known so far; a host may ask for another one. Null if no estimate is available.',
      ),
    results: z.record(z.enum(validationResults), count).describe('Rows by result so far.'),
    failure: z
      .object({
        code: z.enum(Object.keys(validationJobFailures) as [ValidationJobFailure, ...ValidationJobFailure[]]),
        detail: z.string(),
      })
      .nullable()
      .describe('Why the job failed. Null unless `state` is `failed`.'),
    created_by: creatorId,
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso.datetime().describe('When the job and its rows are deleted.'),
    version: z.int().positive().describe('Increases with every change.'),
  })
  .meta({ id: 'ValidationJob' });

export type ValidationJob = z.output<typeof validationJob>;

/**
 * The columns that an export adds after the columns of the rows, in this order. A column of the rows with one of these
 * names is renamed to `input_<name>`; the address column itself, if its name is `email`, is not repeated.
 */
export const exportedVerdictFields = [
  'email',
  'result_status',
  'valid',
  'mx_domain',
  'mx_provider',
  'email_type',
] as const;
