import { z } from 'zod';
import { oneLine, oneLineFault } from '../../discovery/one-line.ts';
import { limits } from '../../limits.ts';
import { queryNumber } from '../internal/ledger/parts.ts';

/** The name of a search or a list. */
export const discoveryName = z
  .string()
  .trim()
  .min(1)
  .max(limits.discoveryNameCharactersMax)
  .regex(oneLine, oneLineFault);

/** One line of text, such as a tag or a filter; surrounding white space is trimmed. */
export function oneLineText(charactersMax: number) {
  return z.string().trim().min(1).max(charactersMax).regex(oneLine, oneLineFault);
}

/** The query parameters that select a page of a list. */
export const pageOf = {
  cursor: z
    .string()
    .min(1)
    .max(limits.cursorCharactersMax)
    .optional()
    .describe('`next_cursor` of the previous page.'),
  limit: queryNumber(1, limits.pageRowsMax)
    .default(limits.pageRowsDefault)
    .describe('Number of rows per page.'),
};

export const idempotencyNote =
  'Send an `Idempotency-Key`: repeating the same request with the same key returns the same response, and nothing is charged twice.';
