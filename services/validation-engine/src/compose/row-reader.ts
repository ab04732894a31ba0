import { readRows } from '../adapters/files/read-rows.ts';
import type { ReadRows } from '../domain/intake/open-file.ts';

/** Reads the rows of lists, whether they are uploaded or named on the command line. */
export function composeRowReader(): ReadRows {
  return readRows;
}
