import { peopleImportRefusals, safeCell } from '@mailproof/shared-types';
import type { Refusal } from '../domain/people-import/judge-rows.ts';

const pageRows = 1_000;

/** Writes refused rows as CSV, page by page. */
export async function* refusedRowsCsv(
  read: (after: number, rowsMax: number) => Promise<Refusal[]>,
): AsyncGenerator<string> {
  yield 'line,reason,detail,column\r\n';
  for (let after = 0; ; ) {
    const rows = await read(after, pageRows);
    const last = rows.at(-1);
    if (!last) {
      return;
    }
    yield rows
      .map(
        ({ line, reason, column }) =>
          `${line},${reason},${quoted(peopleImportRefusals[reason])},${column === null ? '' : quoted(column)}\r\n`,
      )
      .join('');
    after = last.line;
  }
}

/** The name of a column comes from the file: it must not become a formula in a spreadsheet. */
function quoted(text: string): string {
  return `"${safeCell(text).replaceAll('"', '""')}"`;
}
