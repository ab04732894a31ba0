import { csvRecords } from '@mailproof/service-kit/csv';
import { limits } from '@mailproof/shared-types';
import { CsvError } from 'csv-parse';
import { type IntakeFault, notReadable } from '../../domain/intake/intake-fault.ts';
import type { TableRow } from '../../domain/intake/receive-list.ts';

/**
 * Reads rows as their text arrives. It holds only the parser's buffers and one row.
 *
 * @throws IntakeFault at the first line that cannot be read
 */
export async function* readRows(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<TableRow> {
  try {
    const records = csvRecords(text, {
      delimiter,
      max_record_size: limits.rowBytesMax,
      // All three, since a file that was assembled from several may mix them.
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
        `${where} of the file has more than ${limits.rowBytesMax} octets. A quote may not be closed, or the delimiter may be wrong.`,
        options,
      );
    case 'CSV_QUOTE_NOT_CLOSED':
      return notReadable(
        `${where} of the file has a quote that is not closed: the file is damaged or truncated.`,
        options,
      );
    default:
      return notReadable(`${where} of the file is not valid CSV (${error.code}).`, options);
  }
}
