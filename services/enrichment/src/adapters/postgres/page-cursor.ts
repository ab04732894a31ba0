import { Problem, readCursor } from '@mailproof/service-kit';
import { z } from 'zod';

/** What a row is in order by, as the text that Postgres reads it from; Postgres takes no NUL in a text. */
const orderValue = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(text => !text.includes('\0'));
const rowPlace = z.tuple([orderValue, orderValue]);

/**
 * Reads the key and the number of the row that a page ended with.
 *
 * @throws Problem `invalid_cursor`
 */
export function readRowCursor(cursor: string): [key: string, number: string] {
  return readCursor(rowPlace, cursor);
}

/** Runs a statement whose parameters came from a cursor: what their types do not take is no cursor of ours. */
export async function withCursor<Result>(
  cursor: string | undefined,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    // Class 22 of Postgres's error codes: data that a type does not take.
    const isDataFault = error instanceof Error && 'code' in error && String(error.code).startsWith('22');
    throw cursor !== undefined && isDataFault ? new Problem('invalid_cursor', { cause: error }) : error;
  }
}
