import { z } from 'zod';
import { creatorId, peopleImportId, savedListId } from '../ids.ts';
import { limits } from '../limits.ts';
import { fileEncodings, fileFormats } from '../validation-jobs/validation-job.ts';
import { withCommas } from '../with-commas.ts';
import { type PeopleImportField, peopleImportFields } from './people-import-fields.ts';

/** The states of an import; the last three are final. */
export const peopleImportStates = [
  'uploaded',
  'previewing',
  'previewed',
  'importing',
  'succeeded',
  'failed',
  'cancelled',
] as const;

export type PeopleImportState = (typeof peopleImportStates)[number];

const fieldNames = Object.keys(peopleImportFields) as [PeopleImportField, ...PeopleImportField[]];

/** Why a row is refused. */
export const peopleImportRefusals = {
  no_profile_url: 'It has no profile URL.',
  not_a_profile_url: 'Its profile URL is not that of a profile on a known network.',
  profile_of_an_organisation: 'Its profile URL belongs to an organization.',
  no_name: 'It has no name.',
  email_address: 'A mapped column or the profile URL contains an email address, which is never stored.',
  suppressed: 'The person opted out.',
  repeated: 'An earlier row is about the same person.',
  too_many_people: `The account has ${withCommas(limits.ownPeopleMax)} imported people, the most possible.`,
  wrong_column_count: 'It has more or fewer cells than the header.',
  not_json: 'The line is not JSON.',
  not_an_object: 'The line is not a JSON object.',
} as const;

export type PeopleImportRefusal = keyof typeof peopleImportRefusals;

/** Why an import failed. */
export const peopleImportFailures = {
  could_not_continue: 'The import failed repeatedly. The people imported until then are kept.',
} as const;

export type PeopleImportFailure = keyof typeof peopleImportFailures;

const count = z.int().nonnegative();
const columnName = z.string().min(1).max(limits.cellCharactersMax);

/** The column of each field. */
export const peopleImportMapping = z
  .partialRecord(z.enum(fieldNames), columnName)
  .describe(
    'The column of each field. Needs `profile_url`, and `full_name`, `first_name` or `last_name`. All other columns are left out.',
  )
  .meta({ id: 'PeopleImportMapping' });

export type PeopleImportMapping = z.output<typeof peopleImportMapping>;

/** What became of the rows, or would become of them. */
export const peopleImportOutcomes = z
  .object({
    added: count.describe('People who are new to the account.'),
    changed: count.describe('People imported before, with new values.'),
    unchanged: count.describe('People imported before, without new values.'),
    saved_before: count.describe('People whom the account has saved from the store; they stay as they are.'),
    refused: count.describe('Rows that are left out.'),
    refusals: z
      .array(
        z.object({
          reason: z.enum(
            Object.keys(peopleImportRefusals) as [PeopleImportRefusal, ...PeopleImportRefusal[]],
          ),
          detail: z.string().describe('The reason, in words.'),
          rows: count,
          lines: z.array(z.int().positive()).describe('The first lines with this reason.'),
        }),
      )
      .describe('The refused rows by reason.'),
    left_blank: z
      .array(z.object({ field: z.enum(fieldNames), rows: count }))
      .describe('Fields whose text could not be understood, with the number of rows.'),
  })
  .meta({ id: 'PeopleImportOutcomes' });

export type PeopleImportOutcomes = z.output<typeof peopleImportOutcomes>;

/** An import of people whom only the account sees. */
export const peopleImport = z
  .object({
    import_id: peopleImportId,
    name: z.string().describe('The name of the file, unless another one was given.'),
    state: z
      .enum(peopleImportStates)
      .describe('`uploaded` and `previewed` imports wait for you; after a day they are deleted.'),
    format: z.enum(fileFormats),
    encoding: z.enum(fileEncodings),
    encoding_is_guess: z
      .boolean()
      .describe('True if the file neither declares its encoding nor is UTF-8; it was read as windows-1252.'),
    layout: z.string().nullable().describe('The product whose export was recognized, such as `Apollo`.'),
    columns: z
      .array(
        z.object({
          name: z.string().describe(`At most ${limits.columnNameCharactersMax} characters.`),
          examples: z
            .array(z.string())
            .describe('The first values, shortened; none any more once the import has ended.'),
          field: z.enum(fieldNames).nullable().describe('The field that was detected.'),
          holds_addresses: z
            .boolean()
            .describe('The column contains email addresses. It is not stored, and cannot be mapped.'),
        }),
      )
      .describe('The columns of the file, in order.'),
    mapping: peopleImportMapping
      .nullable()
      .describe('The column of each field, as last previewed or imported.'),
    rows: count.describe('Rows of the file.'),
    list_id: savedListId.nullable().describe('The list that the people are put into.'),
    progress: z.number().min(0).max(1).describe('Of the preview or the import.'),
    preview: peopleImportOutcomes.nullable().describe('What the import would do, by the last preview.'),
    result: peopleImportOutcomes.nullable().describe('What the import has done so far.'),
    failure: z
      .object({
        reason: z.enum(Object.keys(peopleImportFailures) as [PeopleImportFailure, ...PeopleImportFailure[]]),
        detail: z.string(),
      })
      .nullable(),
    created_by: creatorId,
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso.datetime().describe('When the import is deleted. The people are kept.'),
    version: z.int().positive().describe('Increases with every change.'),
  })
  .meta({ id: 'PeopleImport' });

export type PeopleImport = z.output<typeof peopleImport>;
