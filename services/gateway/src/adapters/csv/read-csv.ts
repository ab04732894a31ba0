import { csvRecords } from '@mailproof/service-kit/csv';
import { createTextGathering } from '@mailproof/shared-types';
import { CsvError } from 'csv-parse';
import { type TableRow, UploadFault } from '../../domain/outcomes/upload-outcomes.ts';

const recordOctetsMax = 65_536;
/** Longer than any header. */
const headCharactersMax = 16_384;
/** In order of preference when counts are equal. */
const delimiters = [',', ';', '\t', '|'] as const;

/**
 * Reads a stream of CSV. The delimiter is the most frequent candidate in the header.
 *
 * @throws UploadFault at the first line that cannot be read
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

/** Decodes strictly: an address with a replacement character is not what the client sent (ADR 0056). */
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
      throw notText(lines + countLines(text.split('\0', 1)[0] ?? ''), 'contains U+0000');
    }
    lines += countLines(text);
    yield text;
  }
  yield decoded();
}

function notText(line: number, why: string, options?: ErrorOptions): UploadFault {
  return new UploadFault('unreadable', `The file cannot be read: it ${why} near line ${line}.`, options);
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
    // No `for await` loop: leaving it would end the generator, and the rest is still needed.
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

/** Detects the end of the header plus one character; ignores white space before the header. */
function createHeaderWatch(): (part: string) => boolean {
  let hasStarted = false;
  let hasEnded = false;
  return part => {
    const text = hasStarted ? part : part.trimStart();
    hasStarted ||= text !== '';
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

/** The delimiter that occurs most often in the header, outside quotes. */
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
      ? 'a quoted cell is not closed, or a row is too long'
      : 'it is not valid CSV';
  return new UploadFault('unreadable', `The file cannot be read${where}: ${why}.`, { cause: error });
}
