import { type LineRules, limits, linesOf } from '@mailproof/shared-types';
import { nameColumns } from './column-names.ts';
import { notReadable } from './intake-fault.ts';
import type { Table, TableRow } from './receive-list.ts';

/** Marks the last line, to tell it from a line at which the sender disconnected. */
const endMark = 'end';
/** JSON uses up to six characters for one character of a cell. */
const lineCharactersMax = limits.rowBytesMax * 6;

const lineRules: LineRules = {
  ends: 'lf',
  // Text after the last line end was cut off.
  keepsUnfinished: false,
  charactersMax: lineCharactersMax,
  tooLong: () => notReadable(`A line has more than ${lineCharactersMax} characters.`),
};

/**
 * Reads records in the webhook dispatcher's format, as lines of JSON: the names of the columns, the cells of each row,
 * and finally the end mark. Empty lines are keep-alives.
 *
 * @param addressColumn the column with the addresses; the sender specifies it, so it is not guessed
 */
export async function openRecords(octets: AsyncIterable<Uint8Array>, addressColumn: number): Promise<Table> {
  const lines = fullLinesOf(octets);
  const first = await lines.next();
  const header = first.done ? undefined : cellsOf(first.value, 1);
  if (!header || addressColumn >= header.length) {
    throw notReadable('The column names must come first, including the email column.');
  }
  return {
    rows: rowsOf(lines),
    hasHeader: false,
    addressColumn,
    addressColumnIsGiven: true,
    layout: () => null,
    names: () => nameColumns(header, header.length),
  };
}

async function* rowsOf(lines: AsyncGenerator<string>): AsyncGenerator<TableRow> {
  let line = 1;
  try {
    for await (const text of lines) {
      line += 1;
      const cells = cellsOf(text, line);
      if (!cells) {
        return;
      }
      yield { line, cells };
    }
  } finally {
    await lines.return(undefined);
  }
  throw new Error('The upload of the records was interrupted.');
}

/** Returns the cells, or undefined for the end mark. */
function cellsOf(text: string, line: number): string[] | undefined {
  const read = parsed(text);
  if (read === endMark) {
    return undefined;
  }
  // Postgres cannot store a NUL in text.
  if (!Array.isArray(read) || read.some(cell => typeof cell !== 'string' || cell.includes('\0'))) {
    throw notReadable(`Line ${line} is not an array of strings.`);
  }
  return read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* fullLinesOf(octets: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const line of linesOf(textOf(octets), lineRules)) {
    if (line !== '') {
      yield line;
    }
  }
}

async function* textOf(octets: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const chunk of octets) {
    yield decodedBy(decoder, chunk);
  }
}

function decodedBy(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw notReadable('The records are not valid UTF-8.', { cause });
  }
}
