/** A file of rows, opened and read far enough to know its columns. */
export interface TableFile {
  /** The hash of the file's bytes on disk. */
  readonly sha256: string;
  readonly columns: readonly string[];
  /** The first rows; `rows` returns them again. */
  readonly samples: readonly RawRow[];
  /** All rows; iterable once. Throws a `FileFault` at the line from which the file cannot be read. */
  readonly rows: AsyncIterable<RawRow>;
  /** The progress of reading, in bytes of the file. */
  progress(): { readonly bytes: number; readonly bytesTotal: number };
}

export interface TableFileOptions {
  /** Detected from the first line by default. */
  readonly delimiter?: string | undefined;
  /** An Encoding Standard label; by default from the byte order mark, or else UTF-8. */
  readonly encoding?: string | undefined;
}

/** A value in a file: text, or the texts of a list. */
export type RawValue = string | readonly string[];

/** Values by column name; empty values are omitted. */
export type RawValues = Readonly<Record<string, RawValue>>;

/** Returns the value of a column. Columns of files can have the names of what every object has, like `constructor`. */
export function cellOf(values: RawValues, column: string): RawValue | undefined {
  return Object.hasOwn(values, column) ? values[column] : undefined;
}

/** One row of a file, or why it cannot be read although later rows can. */
export type RawRow =
  | { readonly line: number; readonly values: RawValues }
  | { readonly line: number; readonly unreadable: 'not_json' | 'not_an_object' | 'wrong_column_count' };

/** The length of a row's values, in characters. */
export function charactersOf(row: RawRow): number {
  let characters = 0;
  for (const value of 'values' in row ? Object.values(row.values) : []) {
    for (const text of typeof value === 'string' ? [value] : value) {
      characters += text.length;
    }
  }
  return characters;
}

/** The file cannot be read from this line on. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`);
    this.line = line;
  }
}
