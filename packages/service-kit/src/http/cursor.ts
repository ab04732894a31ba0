import type { z } from 'zod';
import { Problem } from '../problem.ts';

/**
 * Writes down where a page ended, in a form that nobody is tempted to count in. A cursor is not secret, and whoever reads
 * it takes it for what it is: something that the outside says.
 */
export function writeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Reads where the page before ended.
 *
 * @throws Problem `invalid_cursor` where the cursor holds no such position
 */
export function readCursor<Position>(position: z.ZodType<Position>, cursor: string): Position {
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new Problem('invalid_cursor', { cause });
  }
}
