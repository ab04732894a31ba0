import { type LineRules, limits, linesOf } from '@mailproof/shared-types';
import { nameColumns } from './column-names.ts';
import { notReadable } from './intake-fault.ts';
import type { Table, TableRow } from './take-in.ts';

/** How the last line is told from one at which the sender went away. */
const endMark = 'end';
/** A text of JSON has up to six characters for one of a cell. */
const lineCharactersMax = limits.rowBytesMax * 6;

const lineRules: LineRules = {
  ends: 'lf',
  // What stands behind the last line end was cut off.
  keepsUnfinished: false,
  charactersMax: lineCharactersMax,
  tooLong: () => notReadable(`A line has more than ${lineCharactersMax} characters.`),
};

/**
 * Reads records as the webhook dispatcher sends them, line by line in JSON: the names of the columns, the cells of each
 * row, and at last the mark of the end. Empty lines say that the sender is still there.
 *
 * @param addressColumn which column has the addresses; whoever sends knows it, so nothing is guessed
 */
export async function openRecords(octets: AsyncIterable<Uint8Array>, addressColumn: number): Promise<Table> {
  const lines = fullLinesOf(octets);
  const first = await lines.next();
  const header = first.done ? undefined : cellsOf(first.value, 1);
  if (!header || addressColumn >= header.length) {
    throw notReadable('The names of the columns have to come first, the one of the addresses among them.');
  }
  return {
    rows: rowsOf(lines),
    hasHeader: false,
    addressColumn,
    addressColumnIsGiven: true,
    layout: () => null,
    names: nameColumns(header, header.length),
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
  throw new Error('The records broke off ahead of their end.');
}

/** Undefined for the mark of the end. */
function cellsOf(text: string, line: number): string[] | undefined {
  const read = parsed(text);
  if (read === endMark) {
    return undefined;
  }
  // Postgres keeps no NUL in a text.
  if (!Array.isArray(read) || read.some(cell => typeof cell !== 'string' || cell.includes('\0'))) {
    throw notReadable(`Line ${line} is no row of texts.`);
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
    throw notReadable('The records are no UTF-8.', { cause });
  }
}
