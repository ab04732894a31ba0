import { type FileEncoding, limits, peopleImportFields } from '@mailproof/shared-types';
import { layoutOf } from '../import/layouts.ts';
import { isAddressColumn, suggestMapping } from '../import/mapping.ts';
import {
  cellOf,
  charactersOf,
  FileFault,
  type RawRow,
  type RawValue,
  type RawValues,
} from '../import/table-file.ts';
import { maskEmails } from '../reading/text.ts';
import { type ImportColumn, partCharacters, partRows, type ReadFile } from './people-import.ts';

/** An uploaded file of rows, read far enough to know its columns. */
export interface UploadedTable {
  readonly format: 'csv' | 'ndjson' | 'xlsx';
  readonly encoding: FileEncoding;
  readonly encodingIsGuess: boolean;
  readonly columns: readonly string[];
  /** The first rows; `rows` returns them again. */
  readonly samples: readonly RawRow[];
  readonly rows: AsyncIterable<RawRow>;
}

/** The file has more rows than one import can have. */
export class TooManyRows extends Error {
  override readonly name = 'TooManyRows';
}

/**
 * Reads an uploaded file of people: its columns with examples, the fields that they are recognized as, and its rows in
 * the form in which they may wait for the import. Email addresses are not in it: columns of addresses are left out, and
 * all other addresses are masked.
 *
 * @throws FileFault if it has no usable columns
 */
export function readUpload(table: UploadedTable): ReadFile {
  const { format, encoding, encodingIsGuess } = table;
  const samples = table.samples.flatMap(row => ('values' in row ? [row.values] : []));
  const names = new Map<string, string>();
  const columns: ImportColumn[] = [];
  if (table.columns.length > limits.jobColumnsMax) {
    throw new FileFault(
      `The file has ${table.columns.length} columns; the limit is ${limits.jobColumnsMax}. Remove columns that you do not need.`,
    );
  }
  for (const name of table.columns) {
    const shown = storable(name, limits.columnNameCharactersMax);
    const holdsAddresses = isAddressColumn(name, samples);
    if (shown === '' || columns.some(column => column.name === shown)) {
      continue;
    }
    if (!holdsAddresses) {
      names.set(name, shown);
    }
    columns.push({ name: shown, examples: holdsAddresses ? [] : examplesOf(name, samples), holdsAddresses });
  }
  if (columns.length === 0) {
    throw new FileFault('The file has no columns.');
  }
  const mapped = suggestMapping('people', table.columns, samples, []);
  const detected = Object.entries(mapped).flatMap(([field, column]) => {
    const shown = names.get(column);
    // Some fields of companies are for the operator's store alone.
    return shown === undefined || !Object.hasOwn(peopleImportFields, field) ? [] : [[field, shown] as const];
  });
  return {
    facts: {
      format,
      encoding,
      encodingIsGuess,
      layout: layoutOf('people', table.columns)?.name ?? null,
      columns,
      detected: Object.fromEntries(detected),
    },
    parts: partsOf(table.rows, names),
  };
}

async function* partsOf(
  rows: AsyncIterable<RawRow>,
  names: ReadonlyMap<string, string>,
): AsyncGenerator<readonly RawRow[]> {
  let part: RawRow[] = [];
  let characters = 0;
  let total = 0;
  let charactersTotal = 0;
  for await (const row of rows) {
    total += 1;
    if (total > limits.peopleImportRowsMax) {
      throw new TooManyRows();
    }
    const stored = 'values' in row ? { line: row.line, values: storableValues(row.values, names) } : row;
    part.push(stored);
    characters += charactersOf(stored);
    if (charactersTotal + characters > limits.peopleImportCharactersMax) {
      throw new FileFault(
        `The cells of the file have more than ${limits.peopleImportCharactersMax.toLocaleString('en')} characters. Remove columns that you do not need, or split the file.`,
      );
    }
    if (part.length === partRows || characters >= partCharacters) {
      yield part;
      charactersTotal += characters;
      characters = 0;
      part = [];
    }
  }
  if (total === 0) {
    throw new FileFault('The file has no rows.');
  }
  if (part.length > 0) {
    yield part;
  }
}

function storableValues(values: RawValues, names: ReadonlyMap<string, string>): RawValues {
  // Without a prototype, in which a column `__proto__` would not be a value.
  const stored: Record<string, RawValue> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    const shown = names.get(name);
    if (shown !== undefined) {
      stored[shown] = typeof value === 'string' ? storable(value) : value.map(each => storable(each));
    }
  }
  return stored;
}

/** Returns a text without addresses, and without what Postgres does not store in JSON. */
function storable(text: string, charactersMax: number = limits.cellCharactersMax): string {
  return maskEmails(text.toWellFormed().replaceAll('\0', ' ')).slice(0, charactersMax).toWellFormed();
}

function examplesOf(column: string, samples: readonly RawValues[]): string[] {
  const values = samples.flatMap(sample => {
    const text = storable([cellOf(sample, column) ?? ''].flat().join(', '));
    return text === '' ? [] : [[...text].slice(0, limits.columnExampleCharactersMax).join('')];
  });
  return [...new Set(values)].slice(0, limits.columnExamplesMax);
}
