import { type InfoRecord, type Options, parse } from 'csv-parse';

/** A record and the line on which it ends, counted from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly record: readonly string[];
}

/** `max_record_size` is in octets: an unclosed quote would otherwise swallow the rest of the text. */
export type CsvFormat = Required<Pick<Options, 'delimiter' | 'max_record_size'>> &
  Pick<Options, 'bom' | 'record_delimiter'>;

/**
 * Reads CSV (RFC 4180) from a stream of text. Quotes within a cell and records of different lengths are allowed. Memory
 * holds only the parser's buffers and one record.
 *
 * @throws CsvError at the first record that cannot be read, or any error from `text`
 */
export async function* csvRecords(text: AsyncIterable<string>, format: CsvFormat): AsyncGenerator<CsvRecord> {
  const parser = parse({
    ...format,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  prependInPlace(parser);
  // Not awaited, because a slow sender must not delay the answer. Errors reach the loop below through the parser.
  void feed(parser, text);
  // The parser counts CR LF within quotes as two line ends.
  let countedTwice = 0;
  try {
    for await (const read of parser) {
      const { record, info } = read as { record: string[]; info: Pick<InfoRecord, 'lines'> };
      for (const cell of record) countedTwice += cell.split('\r\n').length - 1;
      yield { line: info.lines - countedTwice, record };
    }
  } finally {
    parser.destroy();
  }
}

/** The buffer in which csv-parse collects the octets of a cell. */
interface CellBuffer {
  buf: Buffer;
  length: number;
  append(octet: number): void;
  prepend(octets: Buffer): void;
}

/**
 * Restores the first quote of a cell such as `"a"b` (`relax_quotes`) and moves only the octets of the cell. csv-parse
 * copies its whole buffer for each such cell, and the buffer stays as large as the largest cell so far: after one cell
 * of 500 KB, every 50 KB of such cells take a second of CPU time.
 */
function prependInPlace(parser: ReturnType<typeof parse>): void {
  const { field } = (parser as unknown as { readonly state: { readonly field: CellBuffer } }).state;
  field.prepend = octets => {
    const { length } = field;
    for (const octet of octets) field.append(octet);
    field.buf.copyWithin(octets.length, 0, length);
    octets.copy(field.buf);
  };
}

/** Writes each chunk only after the parser has taken the previous one; errors reach the parser's reader. */
async function feed(parser: ReturnType<typeof parse>, text: AsyncIterable<string>): Promise<void> {
  try {
    for await (const part of text) {
      if (parser.destroyed) return;
      if (!parser.write(part)) await untilTaken(parser);
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  }
}

function untilTaken(parser: ReturnType<typeof parse>): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      parser.off('drain', done).off('close', done);
      resolve();
    };
    parser.on('drain', done).on('close', done);
  });
}
