import { type CsvOptions, csvDelimiters, type ExportedValue, safeCell } from '@mailproof/shared-types';
import { stringify } from 'csv-stringify/sync';

const byteOrderMark = '\ufeff';

/**
 * Writes rows as CSV (RFC 4180), page by page: the next page is requested when the previous one has been consumed. The
 * header comes with the first page, so that an earlier failure can still be answered as a problem. Text keeps its
 * leading zeros and white space.
 */
export async function* writeCsv(
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly ExportedValue[])[]>,
  { delimiter = 'comma', byte_order_mark = false }: CsvOptions,
): AsyncGenerator<string> {
  const options = {
    delimiter: csvDelimiters[delimiter],
    record_delimiter: 'windows',
    // A lone LF or CR would end the row for some readers.
    quoted_match: /[\r\n]/,
    // A row of one empty cell would be an empty line, which readers skip.
    quoted_empty: columns.length === 1,
  } as const;
  const linesOf = (rows: readonly (readonly ExportedValue[])[]) =>
    stringify(
      rows.map(row => row.map(safeCell)),
      options,
    );
  let text = (byte_order_mark ? byteOrderMark : '') + linesOf([columns]);
  for await (const rows of pages) {
    if (rows.length > 0) {
      yield text + linesOf(rows);
      text = '';
    }
  }
  if (text !== '') {
    yield text;
  }
}

/** Characters that file systems do not accept in a name, or that would change the text direction. */
const notInNames = /[\\/:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const nameCharactersMax = 100;

/** The file name of an export: its name and its date. */
export function fileNameOf(name: string, madeAt: Date, suffix = '', extension = 'csv'): string {
  const readable = name
    .normalize('NFC')
    .replace(notInNames, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    // A leading dot hides a file; Windows drops a trailing dot.
    .replace(/^[. ]+|[. ]+$/gu, '');
  const cut = Array.from(readable).slice(0, nameCharactersMax).join('').trim();
  return `${cut || 'export'}${suffix} ${madeAt.toISOString().slice(0, 10)}.${extension}`;
}
