import { csvRecords } from '@mailproof/service-kit/csv';
import { CsvError } from 'csv-parse';
import { type TableRow, UploadFault } from '../../domain/outcomes/upload-outcomes.ts';

const recordOctetsMax = 65_536;
/** Longer than any header. */
const headCharactersMax = 16_384;
/** In the order of preference among equals. */
const delimiters = [',', ';', '\t', '|'] as const;

/**
 * Reads CSV as it comes in, with whatever delimiter its header has most of.
 *
 * @throws UploadFault at the line from which on it cannot be read
 */
export async function* readCsv(octets: AsyncIterable<Uint8Array>): AsyncGenerator<TableRow> {
  const text = decode(octets);
  const { head, rest } = await takeHead(text);
  try {
    yield* csvRecords(join(head, rest), {
      bom: true,
      delimiter: delimiterOf(head),
      max_record_size: recordOctetsMax,
    });
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error) : error;
  }
}

async function* decode(octets: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of octets) {
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

async function takeHead(
  text: AsyncGenerator<string>,
): Promise<{ head: string; rest: AsyncIterable<string> }> {
  let head = '';
  while (head.length < headCharactersMax && !/[\r\n]./s.test(head.trimStart())) {
    // Not a loop over the generator: leaving that would end it, and the rest is still wanted.
    const next = await text.next();
    if (next.done) {
      break;
    }
    head += next.value;
  }
  return { head, rest: text };
}

async function* join(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

/** What parts the header's columns most often. */
function delimiterOf(head: string): string {
  const [header = ''] = head.trimStart().split(/\r\n?|\n/, 1);
  const bare = header.replace(/"[^"]*"/g, '');
  const counted = delimiters.map(delimiter => ({ delimiter, count: bare.split(delimiter).length }));
  counted.sort((one, other) => other.count - one.count);
  return counted[0]?.delimiter ?? ',';
}

function faultOf(error: CsvError): UploadFault {
  const { lines } = error as CsvError & { lines?: unknown };
  const where = typeof lines === 'number' ? ` from line ${lines} on` : '';
  const why =
    error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE'
      ? 'a quote is opened and not closed, or a row is too long'
      : 'it is no CSV';
  return new UploadFault('unreadable', `The file cannot be read${where}: ${why}.`, { cause: error });
}
