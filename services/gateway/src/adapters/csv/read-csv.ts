import { csvRecords } from '@mailproof/service-kit/csv';
import { createTextGathering } from '@mailproof/shared-types';
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

/** Strictly: an address in which a letter was replaced is one that the client did not send (ADR 0056). */
async function* decode(octets: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let lines = 1;
  const decoded = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (cause) {
      const intact = new TextDecoder().decode(chunk).split('\ufffd', 1)[0] ?? '';
      throw notText(lines + countLines(intact), 'is not valid UTF-8', { cause });
    }
  };
  for await (const chunk of octets) {
    const text = decoded(chunk);
    if (text.includes('\0')) {
      throw notText(lines + countLines(text.split('\0', 1)[0] ?? ''), 'holds U+0000');
    }
    lines += countLines(text);
    yield text;
  }
  yield decoded();
}

function notText(line: number, why: string, options?: ErrorOptions): UploadFault {
  return new UploadFault('unreadable', `The file cannot be read: it ${why} in about line ${line}.`, options);
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

async function takeHead(
  text: AsyncGenerator<string>,
): Promise<{ head: string; rest: AsyncIterable<string> }> {
  const head = createTextGathering();
  const hasHeader = createHeaderWatch();
  while (head.length < headCharactersMax) {
    // Not a loop over the generator: leaving that would end it, and the rest is still wanted.
    const next = await text.next();
    if (next.done) {
      break;
    }
    head.add(next.value);
    if (hasHeader(next.value)) {
      break;
    }
  }
  return { head: head.take(), rest: text };
}

/** Watches for the end of the header and one character behind it; white space before the header does not count. */
function createHeaderWatch(): (part: string) => boolean {
  let hasBegun = false;
  let hasEnded = false;
  return part => {
    const text = hasBegun ? part : part.trimStart();
    hasBegun ||= text !== '';
    if (hasEnded) {
      return text !== '';
    }
    const end = text.search(/[\r\n]/);
    hasEnded = end !== -1;
    return hasEnded && end + 1 < text.length;
  };
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
