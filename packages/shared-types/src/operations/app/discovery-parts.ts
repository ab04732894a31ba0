import { z } from 'zod';
import { oneLine, oneLineFault } from '../../discovery/one-line.ts';
import { limits } from '../../limits.ts';
import { queryNumber } from '../internal/ledger/parts.ts';

/** What people call a search or a list. */
export const discoveryName = z
  .string()
  .trim()
  .min(1)
  .max(limits.discoveryNameCharactersMax)
  .regex(oneLine, oneLineFault);

/** A word by which a list is marked or filtered; white space around it means nothing. */
export function oneLineText(charactersMax: number) {
  return z.string().trim().min(1).max(charactersMax).regex(oneLine, oneLineFault);
}

/** Which part of a list. */
export const pageOf = {
  cursor: z
    .string()
    .min(1)
    .max(limits.cursorCharactersMax)
    .optional()
    .describe('`next_cursor` of the page before.'),
  limit: queryNumber(1, limits.pageRowsMax).default(limits.pageRowsDefault).describe('Rows of the page.'),
};

export const idempotencyNote =
  'Send an `Idempotency-Key`: under the same key the same request gets the same answer and nothing is charged twice.';
