import { type CsvOptions, csvDelimiters, type ExportedValue, safeCell } from '@mailproof/shared-types';
import { stringify } from 'csv-stringify/sync';

const byteOrderMark = '\ufeff';

/**
 * Writes rows as CSV (RFC 4180), page by page: the next page is asked for when the one before has been taken. The header
 * comes with the first page, so that what goes wrong ahead of it can still be answered as a problem. Text keeps its
 * leading zeros and white space, as it came.
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
    // A row of one empty cell would be an empty line, which readers leave out.
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
