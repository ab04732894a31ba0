import { Problem } from '@mailproof/service-kit';

/**
 * Reads where a page ended: a number.
 *
 * @throws Problem `invalid_cursor`
 */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new Problem('invalid_cursor');
  }
  return cursor ?? null;
}
