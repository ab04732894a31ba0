import type { z } from 'zod';
import { Problem } from '../problem.ts';

/**
 * Encodes where a page ended. A cursor is opaque, so that clients do not compute with it. It is not secret, and its
 * reader treats it as untrusted input.
 */
export function writeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Reads where the previous page ended.
 *
 * @throws Problem `invalid_cursor` if the cursor does not contain a valid position
 */
export function readCursor<Position>(position: z.ZodType<Position>, cursor: string): Position {
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new Problem('invalid_cursor', { cause });
  }
}
