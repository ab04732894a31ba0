import { z } from 'zod';
import { emailTypes, validationResults } from '../verdict.ts';

/** A row of a job, as people look at it. */
export const validationJobRow = z
  .object({
    row: z.int().positive().describe('Its number, from 1; a header is not counted.'),
    cells: z.array(z.string()).describe('As they came; there may be fewer than the job has columns.'),
    email: z
      .string()
      .nullable()
      .describe('The address that is asked about. Null where the row has none that could be.'),
    fault: z
      .string()
      .nullable()
      .describe('Why there is no address: `blank`, or the rule that what stands in the cell breaks.'),
    is_duplicate: z.boolean().describe('Whether the address stood in a row before.'),
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
        'Null while nothing is known, and for blank rows. What is no address is `invalid`, `syntax`.',
      ),
  })
  .meta({ id: 'ValidationJobRow' });

export type ValidationJobRow = z.output<typeof validationJobRow>;
