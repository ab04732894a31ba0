import { z } from 'zod';
import { userId, validationJobId } from '../ids.ts';
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

/** Where the rows of a job came from. */
export const validationJobOrigins = ['file', 'list', 'crm'] as const;

export type ValidationJobOrigin = (typeof validationJobOrigins)[number];

/** Why a job has failed. What it had validated by then stays, and is charged. */
export const validationJobFailures = {
  upload_broken_off: 'The file did not arrive to its end.',
  credits_exhausted:
    'The credits that were set aside were lost, and the account has too few to replace them.',
  could_not_continue: 'Validating went wrong again and again.',
  timed_out: 'What the job needs did not answer for a day.',
  paused_too_long: 'The job was paused for longer than jobs may be.',
} as const;

export type ValidationJobFailure = keyof typeof validationJobFailures;

/** Encodings that a file may be said to be in, by their names in the WHATWG's list. */
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

const count = z.int().nonnegative();
const credits = z.int().nonnegative();

/** A column of the rows, as it came and as it goes. */
export const jobColumn = z
  .object({
    name: z
      .string()
      .describe(
        'As in the header; `column_1` and so on where there is none. Of several columns with one name, the second is `name (2)`.',
      ),
    exported_as: z
      .string()
      .describe(
        'Its name in exports: another one where ours has that name already, as `input_valid` for `valid`.',
      ),
    samples: z.array(z.string()).max(3).describe('Of the first rows in which it is not blank.'),
    address_share: z
      .number()
      .min(0)
      .max(1)
      .describe('Cells that are addresses, of those that were looked at and not blank.'),
  })
  .meta({ id: 'JobColumn' });

/** Rows of a list that are validated together. */
export const validationJob = z
  .object({
    job_id: validationJobId,
    name: z.string(),
    origin: z.enum(validationJobOrigins).describe('Where the rows came from.'),
    state: z
      .enum(validationJobStates)
      .describe(
        '`receiving` until the rows are in; `ready` until it is started; `queued`, `running` and `paused` are under way; the others are ends. What was validated stays in each of them.',
      ),
    file: z
      .object({
        octets: count,
        encoding: z.enum(fileEncodings),
        encoding_is_guess: z
          .boolean()
          .describe(
            'True when the file does not declare its encoding and is not UTF-8, so it was read as windows-1252. Addresses with non-ASCII letters are then not validated: send the file again with `encoding`.',
          ),
        delimiter: z.string().describe('Empty where each line is one cell.'),
        has_header: z.boolean(),
      })
      .nullable()
      .describe('How the file was read. Null for a list.'),
    columns: z.array(jobColumn),
    address_column: count.nullable().describe('Position of the column with the addresses, from 0.'),
    rows: z
      .object({
        total: count,
        valid: count.describe('Rows with an address that can be asked about.'),
        broken: count.describe('Rows whose cell is no address; they stay, as `invalid`, free of charge.'),
        blank: count.describe('Rows without an address.'),
        duplicate: count.describe(
          'Valid rows whose address stood in a row before, in large or small letters; they cost nothing.',
        ),
      })
      .describe('Counted ahead of any charge.'),
    addresses: count.describe(
      'Different addresses, each of which is asked about as the first row has it, and charged once at most.',
    ),
    price: credits.describe('Credits for each address with a verdict other than `unknown`.'),
    cost_max: credits.describe('Credits that a start sets aside.'),
    reserved: credits.describe('Credits that were set aside.'),
    spent: credits.nullable().describe('Null until the job has ended.'),
    returned: credits.nullable().describe('What was reserved and not spent. Null until the job has ended.'),
    receipt_id: z.string().describe('Under this id the receipt of the job is found.'),
    done: count.describe('Addresses with a verdict so far.'),
    waiting: count.describe('Addresses whose hosts asked us to come back later; they are asked again.'),
    progress: z.number().min(0).max(1),
    per_second: z.number().nonnegative().nullable().describe('Addresses in a second, lately.'),
    seconds_left: count.nullable().describe('Estimated; null while nothing can be said.'),
    results: z.record(z.enum(validationResults), count).describe('Rows by their result so far.'),
    failure: z
      .object({
        code: z.enum(Object.keys(validationJobFailures) as [ValidationJobFailure, ...ValidationJobFailure[]]),
        detail: z.string(),
      })
      .nullable()
      .describe('Why it has failed. Null unless `state` is `failed`.'),
    created_by: userId,
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso.datetime().describe('When the job and its rows are going to be deleted.'),
    version: z.int().positive().describe('Grows with every change.'),
  })
  .meta({ id: 'ValidationJob' });

export type ValidationJob = z.output<typeof validationJob>;

/**
 * What the rows of a job are exported with after their own columns, in this order. A column of the rows that bears one
 * of these names moves to `input_<name>`; the address column itself, where its name is `email`, is not repeated.
 */
export const exportedVerdictFields = [
  'email',
  'result_status',
  'valid',
  'mx_domain',
  'mx_provider',
  'email_type',
] as const;
