import { csvRecords } from '@mailproof/service-kit/csv';
import { type LineRules, linesOf } from '@mailproof/shared-types';
import { CsvError } from 'csv-parse';
import { FileFault, type RawRow, type RawValue } from '../../domain/import/table-file.ts';

/** The largest row of a file, in octets; of a workbook, in characters. */
export const rowBytesMax = 1_048_576;
const columnsMax = 1_000;
const delimiters = [',', ';', '\t', '|'] as const;

/** LinkedIn's `Connections.csv` has notes above its columns, each a record of one cell. */
const notesFirst = /^\ufeff?Notes:\r?\n/;

/** Streams CSV; yields the columns first. Buffers no more than one record and the parser's buffers. */
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
  let isInNotes = notesFirst.test(head);
  let linesBefore = 0;
  try {
    for await (const { line: endLine, record } of records) {
      const line = lineOf(record, endLine, linesBefore);
      linesBefore = endLine;
      isInNotes &&= record.length < 2;
      if (isInNotes) {
        continue;
      }
      if (columns === undefined) {
        columns = columnsOf(record);
        yield { line, values: Object.fromEntries(columns.map(column => [column, ''])) };
      } else {
        yield rowOfRecord(line, record, columns);
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error, linesBefore) : error;
  }
}

/** Returns the line in which a record begins; the parser reports the one in which it ends. */
function lineOf(record: readonly string[], endLine: number, linesBefore: number): number {
  if (endLine === linesBefore + 1) {
    return endLine;
  }
  const within = record.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
  return Math.max(linesBefore + 1, endLine - within);
}

function rowOfRecord(line: number, record: readonly string[], columns: readonly string[]): RawRow {
  if (record.length !== columns.length) {
    return { line, unreadable: 'wrong_column_count' };
  }
  const values: Record<string, string> = noValues();
  for (const [index, cell] of record.entries()) {
    const column = columns[index];
    if (cell !== '' && column !== undefined) {
      values[column] = cell;
    }
  }
  return { line, values };
}

export function assertFewColumns(columns: number): void {
  if (columns > columnsMax) {
    throw new FileFault(`The file has ${columns} columns; the limit is ${columnsMax}.`, 1);
  }
}

/** Without a prototype, in which a column `__proto__` would not be a value. */
function noValues(): Record<string, never> {
  return Object.create(null);
}

/** Makes duplicate column names unique by adding a number. */
export function columnsOf(record: readonly string[]): string[] {
  assertFewColumns(record.length);
  const seen = new Map<string, number>();
  const given = new Set(record.map(cell => cell.trim()));
  return record.map((cell, index) => {
    const name = cell.trim() || `column ${index + 1}`;
    let times = (seen.get(name) ?? 0) + 1;
    // The file can have a column of this name too.
    while (times > 1 && given.has(`${name} (${times})`)) {
      times += 1;
    }
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

/** Returns the most frequent delimiter of the first line, outside quotes. */
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
        `A row is longer than ${rowBytesMax} octets; a quote may not be closed, or the delimiter may be wrong.`,
        line,
      );
    case 'CSV_QUOTE_NOT_CLOSED':
      return new FileFault('A quote is not closed: the file is incomplete or damaged.', line);
    default:
      return new FileFault(`The file is not valid CSV (${error.code}).`, line);
  }
}

/** The maximum nesting of objects, as in `location.country`; deeper ones are omitted. */
const depthMax = 4;

const lineRules: LineRules = {
  ends: 'lf',
  keepsUnfinished: true,
  charactersMax: rowBytesMax,
  tooLong: line => new FileFault(`The line is longer than ${rowBytesMax} characters.`, line),
};

/** Reads one JSON object per line. */
export async function* readNdjsonRows(text: AsyncIterable<string>): AsyncGenerator<RawRow, void> {
  let line = 0;
  for await (const read of linesOf(text, lineRules)) {
    line += 1;
    if (read.trim() !== '') {
      yield rowOfLine(line, read);
    }
  }
}

function rowOfLine(line: number, text: string): RawRow {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    return { line, unreadable: 'not_json' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, unreadable: 'not_an_object' };
  }
  const values: Record<string, RawValue> = noValues();
  flatten(value, '', values, depthMax);
  return { line, values };
}

function flatten(value: object, prefix: string, into: Record<string, RawValue>, depth: number): void {
  for (const [name, inner] of Object.entries(value)) {
    const path = `${prefix}${name}`;
    if (Array.isArray(inner)) {
      const words = inner.flatMap(item => scalar(item) ?? []);
      if (words.length > 0) into[path] = words;
    } else if (typeof inner === 'object' && inner !== null) {
      if (depth > 1) flatten(inner, `${path}.`, into, depth - 1);
    } else {
      const word = scalar(inner);
      if (word !== undefined && word !== '') into[path] = word;
    }
  }
}

function scalar(value: unknown): string | undefined {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;
}
