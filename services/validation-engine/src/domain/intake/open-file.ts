import { type FileEncoding, limits } from '@mailproof/shared-types';
import { type CsvStyle, findStyle } from './csv-style.ts';
import { type DecodedText, decodeText } from './decode-text.ts';
import { notReadable } from './intake-fault.ts';
import type { Table, TableRow } from './receive-list.ts';
import { type FoundLayout, findDelimiter, findLayout, noDelimiter } from './table-layout.ts';

/** Reads the rows of delimited text. */
export type ReadRows = (text: AsyncIterable<string>, delimiter: string) => AsyncGenerator<TableRow>;

/** The sender's information about a file. */
export interface GivenLayout {
  readonly delimiter?: string;
  readonly encoding?: FileEncoding;
  readonly hasHeader?: boolean;
  /** The sheet of a workbook, by name or by number from 1. */
  readonly sheet?: string;
}

/** How much is examined to detect the layout: characters for the delimiter, rows for the columns. */
const headCharacters = 65_536;
const sampleRowsMax = 200;
const sampleCharactersMax = limits.rowBytesMax * 2;

/** A file whose beginning has been examined. */
export interface LaidOutFile {
  /** All rows from the first one, read lazily. */
  readonly rows: AsyncGenerator<TableRow>;
  /** How many of them were examined; 0 for an empty file. */
  readonly sampleRows: number;
  readonly found: FoundLayout;
  /** `noDelimiter` if each line is one cell. */
  readonly delimiter: string;
  readonly style: CsvStyle;
  readonly facts: DecodedText['facts'];
}

/**
 * Detects the layout of a file.
 *
 * @param column the column with the addresses, by name or by number from 1; detected if omitted
 * @throws IntakeFault if the file is not text or not CSV
 */
export async function layOutFile(
  octets: AsyncIterable<Uint8Array>,
  given: Pick<GivenLayout, 'delimiter' | 'encoding'>,
  readRows: ReadRows,
  column?: string,
): Promise<LaidOutFile> {
  const { text, facts } = decodeText(octets, given.encoding);
  const head = await takeHead(text);
  const delimiter = delimiterOf(given.delimiter) ?? findDelimiter(head);
  const { samples, rows } = await takeSamples(readRows(chain([head], text), delimiter));
  const found = findLayout(
    samples.map(({ cells }) => cells),
    column,
  );
  return { rows, sampleRows: samples.length, found, delimiter, style: findStyle(head, delimiter), facts };
}

/** Opens a file as a table. The rows are read lazily. */
export async function openFile(
  octets: AsyncIterable<Uint8Array>,
  given: GivenLayout,
  readRows: ReadRows,
): Promise<Table> {
  if (given.sheet !== undefined) {
    throw notReadable('The file is not a workbook: leave out `sheet`.');
  }
  const { rows, sampleRows, found, delimiter, style, facts } = await layOutFile(octets, given, readRows);
  const layout = 'layout' in found ? found.layout : undefined;
  const hasHeader = given.hasHeader ?? (layout ? layout.columnName !== undefined : sampleRows > 1);
  return {
    rows,
    hasHeader,
    addressColumn: layout?.column ?? 0,
    layout: () => ({
      format: 'csv',
      ...facts(),
      ...style,
      delimiter: delimiter === noDelimiter ? '' : delimiter,
      hasHeader,
    }),
  };
}

function delimiterOf(given: string | undefined): string | undefined {
  return given === 'tab' ? '\t' : given === 'none' ? noDelimiter : given;
}

async function takeHead(text: AsyncGenerator<string>): Promise<string> {
  let head = '';
  while (head.length < headCharacters) {
    // Not a `for await` loop: leaving it would end the generator, and the rest is still needed.
    const next = await text.next();
    if (next.done) {
      break;
    }
    head += next.value;
  }
  return head;
}

/** Reads the first rows, and returns them and all rows. */
export async function takeSamples(
  rows: AsyncGenerator<TableRow>,
): Promise<{ readonly samples: readonly TableRow[]; readonly rows: AsyncGenerator<TableRow> }> {
  const samples: TableRow[] = [];
  let characters = 0;
  while (samples.length < sampleRowsMax && characters < sampleCharactersMax) {
    const next = await rows.next();
    if (next.done) {
      break;
    }
    samples.push(next.value);
    characters += next.value.cells.reduce((sum, cell) => sum + cell.length, 0);
  }
  return { samples, rows: chain(samples, rows) };
}

async function* chain<Item>(first: readonly Item[], rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
