import { type ExportedValue, safeCell } from '@mailproof/shared-types';
import { stringify } from 'csv-stringify/sync';

const byteOrderMark = '\ufeff';

/** How a CSV file is written, apart from its encoding. */
export interface CsvForm {
  readonly delimiter: string;
  readonly byteOrderMark: boolean;
  readonly lineEnd: 'crlf' | 'lf' | 'cr';
  /** Whether every cell has quotes, or only those that need them. */
  readonly quotes: 'all' | 'needed';
}

const lineEnds = { crlf: 'windows', lf: 'unix', cr: 'mac' } as const;

/**
 * Writes rows as CSV (RFC 4180), page by page: the next page is requested when the previous one has been consumed. The
 * header comes with the first page, so that an earlier failure can still be answered as a problem. Text keeps its
 * leading zeros and white space.
 */
export async function* writeCsv(
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly ExportedValue[])[]>,
  { delimiter, byteOrderMark: hasMark, lineEnd, quotes }: CsvForm,
): AsyncGenerator<string> {
  const options = {
    delimiter,
    record_delimiter: lineEnds[lineEnd],
    quoted: quotes === 'all',
    // A lone LF or CR would end the row for some readers.
    quoted_match: /[\r\n]/,
    // A row of one empty cell would be an empty line, which readers skip.
    quoted_empty: quotes === 'all' || columns.length === 1,
  } as const;
  const linesOf = (rows: readonly (readonly ExportedValue[])[]) =>
    stringify(
      rows.map(row => row.map(safeCell)),
      options,
    );
  let text = (hasMark ? byteOrderMark : '') + linesOf([columns]);
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

/** The end of a file's name that says its format. Most exports have the name of the file that was uploaded. */
const formatEnding = /\.(?:csv|tsv|txt|xlsx|xlsm|json|ndjson|jsonl)$/iu;

/** The file name of an export: its name, without the ending of an uploaded file, and its date. */
export function fileNameOf(name: string, madeAt: Date, suffix = '', extension = 'csv'): string {
  const readable = name
    .normalize('NFC')
    .replace(notInNames, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(formatEnding, '')
    // A leading dot hides a file; Windows drops a trailing dot.
    .replace(/^[. ]+|[. ]+$/gu, '');
  const cut = Array.from(readable).slice(0, nameCharactersMax).join('').trim();
  return `${cut || 'export'}${suffix} ${madeAt.toISOString().slice(0, 10)}.${extension}`;
}
