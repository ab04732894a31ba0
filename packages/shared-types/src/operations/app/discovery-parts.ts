import { z } from 'zod';
import { limits } from '../../limits.ts';
import { queryNumber } from '../internal/ledger/parts.ts';

/** One line without control characters, and without characters that turn the direction of text. */
const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

/** What people call a search or a list. */
export const discoveryName = z
  .string()
  .trim()
  .min(1)
  .max(limits.discoveryNameCharactersMax)
  .regex(oneLine, 'must be one line without control characters');

/** A word by which a list is marked or filtered; white space around it means nothing. */
export function oneLineText(charactersMax: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(charactersMax)
    .regex(oneLine, 'must be one line without control characters');
}

/** Which part of a list. */
export const pageOf = {
  cursor: z.string().min(1).max(1_000).optional().describe('`next_cursor` of the page before.'),
  limit: queryNumber(1, limits.pageRowsMax).default(limits.pageRowsDefault).describe('Rows of the page.'),
};

export const idempotencyNote =
  'Send an `Idempotency-Key`: under the same key the same request gets the same answer and nothing is charged twice.';
