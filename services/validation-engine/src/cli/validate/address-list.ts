import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { type CsvError, type InfoRecord, parse } from 'csv-parse';
import { findDelimiter, findLayout, type Layout, noDelimiter } from '../../domain/intake/table-layout.ts';

/** One address to validate. */
export interface ListRow {
  /** The line of the list on which the row ends, or the place of an address among the arguments; from 1. */
  readonly row: number;
  readonly address: string;
}

export interface ListOptions {
  readonly column?: string;
  readonly delimiter?: string;
  readonly signal: AbortSignal;
}

export interface AddressList {
  readonly layout: Layout;
  /** Undefined where each line is one address. */
  readonly delimiter: string | undefined;
  /** May be gone through once. */
  readonly rows: AsyncGenerator<ListRow>;
  /** Rows whose cell is empty or missing; they are passed over. */
  emptyRows(): number;
}

/** The list cannot be read, and why, in a sentence. */
export class ListError extends Error {
  override readonly name = 'ListError';
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Pick<InfoRecord, 'lines'>;
}

/** Enough to find delimiter and column; held in memory together with the octets on their way, and nothing more. */
const headCharactersMax = 65_536;
const sampleRecordsMax = 100;
/** An opening quote that nobody closes would otherwise swallow the rest of the list. */
const recordOctetsMax = 131_072;

/** Opens a list and finds out where its addresses are. The rows are read as they are asked for. */
export async function openAddressList(source: Readable, options: ListOptions): Promise<AddressList> {
  const text = decode(addAbortSignal(options.signal, source));
  const head = await takeHead(text);
  const delimiter = options.delimiter ?? findDelimiter(head);
  const records = readRecords(source, chain([head], text), delimiter, options.signal);
  const sample: CsvRecord[] = [];
  while (sample.length < sampleRecordsMax) {
    const next = await records.next();
    if (next.done) {
      break;
    }
    sample.push(next.value);
  }
  if (sample.length === 0) {
    throw new ListError('The list is empty.');
  }
  const found = findLayout(
    sample.map(({ record }) => record),
    options.column,
  );
  if ('fault' in found) {
    await records.return(undefined);
    throw new ListError(found.fault);
  }
  const { layout } = found;
  const counts = { empty: 0 };
  return {
    layout,
    delimiter: delimiter === noDelimiter ? undefined : delimiter,
    rows: readRows(
      layout.columnName === undefined ? sample : sample.slice(1),
      records,
      layout.column,
      counts,
    ),
    emptyRows: () => counts.empty,
  };
}

async function* readRows(
  sample: readonly CsvRecord[],
  rest: AsyncGenerator<CsvRecord>,
  column: number,
  counts: { empty: number },
): AsyncGenerator<ListRow> {
  try {
    for await (const { record, info } of chain(sample, rest)) {
      const address = record[column]?.trim() ?? '';
      if (address === '') {
        counts.empty += 1;
      } else {
        yield { row: info.lines, address };
      }
    }
  } finally {
    // Whoever leaves within the sample has not begun with the rest, which holds the file open.
    await rest.return(undefined);
  }
}

async function* readRecords(
  source: Readable,
  text: AsyncIterable<string>,
  delimiter: string,
  signal: AbortSignal,
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: recordOctetsMax,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // Whatever goes wrong along the way destroys the parser, whose reader below is told.
  pipeline(Readable.from(text), parser, () => undefined);
  const stop = () => parser.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const record of parser) {
      yield record as CsvRecord;
    }
  } catch (error) {
    if (!signal.aborted) {
      throw readFault(error as Error | CsvError);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    parser.destroy();
    // A standard input at which somebody could still type would keep the process waiting.
    source.destroy();
  }
}

function readFault(error: Error): ListError {
  return error instanceof ListError
    ? error
    : new ListError(`The list cannot be read: ${error.message}.`, { cause: error });
}

/** Text by its byte order mark, which spreadsheets write; UTF-8 where there is none. */
async function* decode(source: Readable): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of source) {
    const octets = Buffer.from(chunk as Uint8Array);
    decoder ??= new TextDecoder(encodingOf(octets));
    const text = decoder.decode(octets, { stream: true });
    if (text.includes('\0')) {
      throw new ListError('The list is no text; save it as CSV from the program that made it.');
    }
    yield text;
  }
}

function encodingOf(octets: Buffer): string {
  const mark = octets.length < 2 ? 0 : octets.readUInt16BE(0);
  return mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
}

async function takeHead(text: AsyncGenerator<string>): Promise<string> {
  let head = '';
  while (head.length < headCharactersMax) {
    // Not a loop over the generator: leaving that would end it, and the rest is still wanted.
    const next = await text.next().catch((error: unknown) => {
      throw readFault(error as Error);
    });
    if (next.done) {
      break;
    }
    head += next.value;
  }
  return head;
}

async function* chain<Item>(first: readonly Item[], rest: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* first;
  yield* rest;
}
