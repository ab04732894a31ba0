import {
  charactersOf,
  FileFault,
  type RawRow,
  type TableFile,
  type TableFileOptions,
} from '../../domain/import/table-file.ts';
import { decode } from './decode.ts';
import { lookAtFile, readOctets } from './read-octets.ts';
import { assertFewColumns, readCsvRows, readNdjsonRows, rowBytesMax } from './read-rows.ts';

/** The number of rows used to recognize columns, unless they have more characters. */
const samplesMax = 200;
const sampleCharactersMax = 2 * rowBytesMax;
/** The number of characters used to detect the kind of file; a longer first line is refused. */
const headCharacters = 65_536;

/** A table without the facts of its file. */
export type OpenedTable = Pick<TableFile, 'columns' | 'samples' | 'rows'> & {
  readonly format: 'csv' | 'ndjson' | 'xlsx';
};

/** Opens CSV or NDJSON, compressed or not, and reads its columns. The rest is read on demand. */
export async function openTableFile(path: string, options: TableFileOptions): Promise<TableFile> {
  const facts = await lookAtFile(path);
  let bytes = 0;
  const octets = readOctets(path, facts, read => {
    bytes += read;
  });
  const { columns, samples, rows } = await openTable(octets, options);
  return {
    sha256: facts.sha256,
    columns,
    samples,
    rows,
    progress: () => ({ bytes, bytesTotal: facts.bytes }),
  };
}

/** Opens CSV or NDJSON as it arrives, and reads its columns. The rest is read on demand. */
export async function openTable(
  octets: AsyncIterable<Buffer>,
  options: TableFileOptions,
): Promise<OpenedTable> {
  const { head, text } = await takeHead(decode(octets, options.encoding));
  if (head.trim() === '') {
    throw new FileFault('The file is empty.');
  }
  if (options.delimiter === undefined && /^\ufeff?\s*\[\s*\{/.test(head)) {
    throw new FileFault('The file is a JSON array. Write each object on its own line, without the brackets.');
  }
  const isNdjson = options.delimiter === undefined && /^\ufeff?\s*\{/.test(head);
  const rows: AsyncGenerator<RawRow> = isNdjson
    ? readNdjsonRows(text)
    : readCsvRows(text, head, options.delimiter);
  const columns: string[] = [];
  if (!isNdjson) {
    const first = await rows.next();
    columns.push(...(first.done || !('values' in first.value) ? [] : Object.keys(first.value.values)));
  }
  const { samples, failure } = await takeSamples(rows);
  if (isNdjson) {
    const names = new Set<string>();
    for (const row of samples) {
      for (const name of 'values' in row ? Object.keys(row.values) : []) {
        names.add(name);
      }
      assertFewColumns(names.size);
    }
    columns.push(...names);
  }
  return { format: isNdjson ? 'ndjson' : 'csv', columns, samples, rows: chain(samples, rows, failure) };
}

/** Opens rows whose columns are known. */
export async function openRows(
  columns: readonly string[],
  rows: AsyncGenerator<RawRow>,
): Promise<Pick<TableFile, 'columns' | 'samples' | 'rows'>> {
  const { samples, failure } = await takeSamples(rows);
  return { columns, samples, rows: chain(samples, rows, failure) };
}

async function takeSamples(rows: AsyncGenerator<RawRow>): Promise<{ samples: RawRow[]; failure?: unknown }> {
  const samples: RawRow[] = [];
  let characters = 0;
  try {
    while (samples.length < samplesMax && characters < sampleCharactersMax) {
      const next = await rows.next();
      if (next.done) {
        break;
      }
      samples.push(next.value);
      characters += charactersOf(next.value);
    }
  } catch (failure) {
    // Load the rows before the fault first; then report the fault.
    return { samples, failure };
  }
  return { samples };
}

async function* chain(
  samples: readonly RawRow[],
  rows: AsyncGenerator<RawRow>,
  failure: unknown,
): AsyncGenerator<RawRow> {
  yield* samples;
  if (failure !== undefined) {
    throw failure;
  }
  yield* rows;
}

async function takeHead(
  text: AsyncGenerator<string>,
): Promise<{ readonly head: string; readonly text: AsyncIterable<string> }> {
  const { value, done } = await text.next();
  const first = done ? '' : value;
  async function* all(): AsyncGenerator<string> {
    yield first;
    yield* text;
  }
  return { head: first.slice(0, headCharacters), text: all() };
}
