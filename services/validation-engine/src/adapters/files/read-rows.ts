import { csvRecords } from '@mailproof/service-kit/csv';
import { limits } from '@mailproof/shared-types';
import { CsvError } from 'csv-parse';
import { type IntakeFault, notReadable } from '../../domain/intake/intake-fault.ts';
import type { TableRow } from '../../domain/intake/take-in.ts';

/**
 * Reads rows as their text comes in. No more is kept than the parser's buffers and one row.
 *
 * @throws IntakeFault at the line from which on it cannot be read
 */
export async function* readRows(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<TableRow> {
  try {
    const records = csvRecords(text, {
      delimiter,
      max_record_size: limits.rowBytesMax,
      // All three, since files that were put together from several have several.
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    for await (const { line, record } of records) yield { line, cells: record };
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error) : error;
  }
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
