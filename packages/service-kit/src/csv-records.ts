import { type InfoRecord, type Options, parse } from 'csv-parse';

/** A record and the line in which it ends, from 1 on. */
export interface CsvRecord {
  readonly line: number;
  readonly record: readonly string[];
}

/** `max_record_size` is in octets: an opening quote that nobody closes would otherwise swallow the rest of the text. */
export type CsvFormat = Required<Pick<Options, 'delimiter' | 'max_record_size'>> &
  Pick<Options, 'bom' | 'record_delimiter'>;

/**
 * Reads CSV (RFC 4180) as its text comes in, and forgives quotes within a cell and records of different lengths. No more
 * is kept than the parser's buffers and one record.
 *
 * @throws CsvError at the record from which on it cannot be read; what the text throws is thrown on
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
  // Its errors reach the parser, whose reader below is told; a sender that dawdles must not hold up the answer.
  void feed(parser, text);
  // The parser takes CR LF within quotes for two ends of a line.
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

/** What csv-parse gathers the octets of a cell in. */
interface CellBuffer {
  buf: Buffer;
  length: number;
  append(octet: number): void;
  prepend(octets: Buffer): void;
}

/**
 * A cell such as `"a"b` gets its first quote back (`relax_quotes`). For each of them csv-parse copies its whole buffer,
 * which stays as large as the largest cell so far: behind one cell of 500 KB, a second of processor for every 50 KB of
 * such cells. This moves the octets of the cell alone.
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

/** Writes on only when the parser has taken what it has; its reader is told what goes wrong. */
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
