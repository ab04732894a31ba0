import { limits } from '@mailproof/shared-types';
import { CsvError, type InfoRecord, type Options, parse } from 'csv-parse';
import { type IntakeFault, notReadable } from '../../domain/intake/intake-fault.ts';
import type { TableRow } from '../../domain/intake/take-in.ts';

/**
 * Reads rows as their text comes in. No more is kept than the parser's buffers and one row.
 *
 * @throws IntakeFault at the line from which on it cannot be read
 */
export async function* readRows(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<TableRow> {
  const options: Options = {
    delimiter,
    info: true,
    // An opening quote that nobody closes would otherwise swallow the rest of the file.
    max_record_size: limits.rowBytesMax,
    // All three, since files that were put together from several have several.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  };
  const parser = parse(options);
  // Its errors reach the parser, whose reader below is told; a sender that dawdles must not hold up the answer.
  void feed(parser, text);
  try {
    for await (const read of parser) {
      const { record, info } = read as { record: string[]; info: Pick<InfoRecord, 'lines'> };
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error) : error;
  } finally {
    parser.destroy();
  }
}

/** Writes on only when the parser has taken what it has; its reader is told what goes wrong. */
async function feed(parser: ReturnType<typeof parse>, text: AsyncIterable<string>): Promise<void> {
  try {
    for await (const part of text) {
      if (parser.destroyed) {
        return;
      }
      if (!parser.write(part)) {
        await untilTaken(parser);
      }
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  }
}

function untilTaken(parser: ReturnType<typeof parse>): Promise<void> {
  return new Promise(resolve => {
    if (parser.destroyed) {
      resolve();
      return;
    }
    const done = () => {
      parser.off('drain', done).off('close', done);
      resolve();
    };
    parser.on('drain', done).on('close', done);
  });
}

function faultOf(error: CsvError): IntakeFault {
  const { records } = error as CsvError & { records?: unknown };
  const where = typeof records === 'number' ? `Row ${records + 1}` : 'A row';
  const options = { cause: error };
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return notReadable(
        `${where} of the file has more than ${limits.rowBytesMax} octets. Perhaps a quote was opened there and never closed, or the delimiter is another one.`,
        options,
      );
    case 'CSV_QUOTE_NOT_CLOSED':
      return notReadable(
        `${where} of the file has a quote that is opened and never closed: the file is damaged or cut off.`,
        options,
      );
    default:
      return notReadable(`${where} of the file is no CSV (${error.code}).`, options);
  }
}
