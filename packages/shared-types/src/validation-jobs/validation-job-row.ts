import { z } from 'zod';
import { emailTypes, validationResults } from '../verdict.ts';

/** Reasons of results that no probe gave; all others are reasons of verdicts. */
export const rowReasons = {
  syntax: 'The cell is not a valid email address.',
  not_finished: 'The job was finished before the address had a verdict.',
} as const satisfies Readonly<Record<string, string>>;

export type RowReason = keyof typeof rowReasons;

/** A row of a job as shown to users. */
export const validationJobRow = z
  .object({
    row: z.int().positive().describe('Row number, from 1; the header is not counted.'),
    cells: z.array(z.string()).describe('Unchanged; there may be fewer cells than the job has columns.'),
    email: z.string().nullable().describe('The address to validate. Null if the row has no valid address.'),
    fault: z
      .string()
      .nullable()
      .describe('Why there is no address: `blank`, or the rule that the cell’s text breaks.'),
    is_duplicate: z.boolean().describe('Whether an earlier row has the same address.'),
    verdict: z
      .object({
        result: z.enum(validationResults),
        reason: z.string(),
        valid: z.boolean().describe('True for `ok` and `catch_all_validated`.'),
        mx_domain: z.string().nullable(),
        mx_provider: z.string().nullable(),
        email_type: z.enum(emailTypes).nullable(),
      })
      .nullable()
      .describe(
        'Null while there is no result, and for blank rows. Cells that are not an address are `invalid`, `syntax`; addresses without a verdict when the job was finished early are `unknown`, `not_finished`.',
      ),
  })
  .meta({ id: 'ValidationJobRow' });

export type ValidationJobRow = z.output<typeof validationJobRow>;
