import { Problem } from '@mailproof/service-kit';

/** Writes where a page ended: the values by which its rows are in order. */
export function writeCursor(...values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * Reads what `writeCursor` wrote: so many values.
 *
 * @throws Problem `invalid_cursor`
 */
export function readCursor(cursor: string, count: number): string[] {
  const values = parsed(cursor);
  // Postgres takes no NUL in a text.
  const isWhole =
    values.length === count &&
    values.every(value => ['string', 'number'].includes(typeof value) && !String(value).includes('\0'));
  if (!isWhole) {
    throw new Problem('invalid_cursor');
  }
  return values.map(String);
}

function parsed(cursor: string): readonly unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
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
