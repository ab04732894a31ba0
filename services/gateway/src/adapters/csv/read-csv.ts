import { CsvError, type InfoRecord, type Options, parse } from 'csv-parse';
import { type TableRow, UploadFault } from '../../domain/outcomes/upload-outcomes.ts';

/** An opening quote that nobody closes would otherwise swallow the rest of the file. */
const recordCharactersMax = 65_536;
/** Longer than any header. */
const headCharactersMax = 16_384;
/** In the order of preference among equals. */
const delimiters = [',', ';', '\t', '|'] as const;

/**
 * Reads CSV as it comes in. No more is kept than the parser's buffers and one record.
 *
 * @throws UploadFault at the line from which on it cannot be read
 */
export async function* readCsv(octets: AsyncIterable<Uint8Array>): AsyncGenerator<TableRow> {
  const text = decode(octets);
  const { head, rest } = await takeHead(text);
  const options: Options = {
    bom: true,
    delimiter: delimiterOf(head),
    info: true,
    max_record_size: recordCharactersMax,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  };
  const parser = parse(options);
  // Its errors reach the parser, whose reader below is told; a sender that dawdles must not hold up the answer.
  void feed(parser, head, rest);
  try {
    for await (const read of parser) {
      const { record, info } = read as { record: string[]; info: Pick<InfoRecord, 'lines'> };
      yield { line: info.lines, record };
    }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error) : error;
  } finally {
    parser.destroy();
  }
}

/** Writes on only when the parser has taken what it has; its reader is told what goes wrong. */
async function feed(
  parser: ReturnType<typeof parse>,
  head: string,
  rest: AsyncIterable<string>,
): Promise<void> {
  try {
    for await (const part of join(head, rest)) {
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
    const done = () => {
      parser.off('drain', done).off('close', done);
      resolve();
    };
    parser.on('drain', done).on('close', done);
  });
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
