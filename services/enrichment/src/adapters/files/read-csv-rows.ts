import { csvRecords } from '@mailproof/service-kit/csv';
import { CsvError } from 'csv-parse';
import { FileFault, type RawRow } from '../../domain/import/raw-row.ts';

/** In octets. */
export const rowBytesMax = 1_048_576;
const columnsMax = 1_000;
const delimiters = [',', ';', '\t', '|'] as const;

/** Reads CSV as it comes in; first it answers the columns. No more is kept than one record and the parser's buffers. */
export async function* readCsvRows(
  text: AsyncIterable<string>,
  head: string,
  delimiter: string | undefined,
): AsyncGenerator<RawRow, void> {
  const records = csvRecords(text, {
    bom: true,
    delimiter: delimiter ?? delimiterOf(head),
    max_record_size: rowBytesMax,
  });
  let columns: readonly string[] | undefined;
  let linesBefore = 0;
  try {
    for await (const { line: endLine, record } of records) {
      const line = lineOf(record, endLine, linesBefore);
      linesBefore = endLine;
      if (columns === undefined) {
        columns = columnsOf(record);
        yield { line, values: Object.fromEntries(columns.map(column => [column, ''])) };
      } else {
        yield rowOf(line, record, columns);
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error, linesBefore) : error;
  }
}

/** The line in which a record begins; the parser tells the one in which it ends. */
function lineOf(record: readonly string[], endLine: number, linesBefore: number): number {
  if (endLine === linesBefore + 1) {
    return endLine;
  }
  const within = record.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
  return Math.max(linesBefore + 1, endLine - within);
}

function rowOf(line: number, record: readonly string[], columns: readonly string[]): RawRow {
  if (record.length !== columns.length) {
    return { line, unreadable: 'wrong_column_count' };
  }
  const values: Record<string, string> = {};
  for (const [place, cell] of record.entries()) {
    const column = columns[place];
    if (cell !== '' && column !== undefined) {
      values[column] = cell;
    }
  }
  return { line, values };
}

/** Two columns of one name are told apart by a number. */
function columnsOf(record: readonly string[]): string[] {
  if (record.length > columnsMax) {
    throw new FileFault(`The file has ${record.length} columns; at most ${columnsMax} are read.`, 1);
  }
  const seen = new Map<string, number>();
  return record.map((cell, place) => {
    const name = cell.trim() || `column ${place + 1}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

/** The delimiter that the first line has most of, outside quotes. */
function delimiterOf(head: string): string {
  const [line = ''] = head.replace(/"(?:[^"]|"")*"/g, '').split(/\r\n|\n|\r/, 1);
  const counts = delimiters.map(delimiter => [delimiter, line.split(delimiter).length] as const);
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

function faultOf(error: CsvError, linesBefore: number): FileFault {
  const line = linesBefore + 1;
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return new FileFault(
        `A row is longer than ${rowBytesMax} octets; probably a quote is opened here that nobody closes, or the --delimiter is another one.`,
        line,
      );
    case 'CSV_QUOTE_NOT_CLOSED':
      return new FileFault(
        'A quote is opened that nobody closes: the file is half written or damaged.',
        line,
      );
    default:
      return new FileFault(`The file is no CSV (${error.code}).`, line);
  }
}
