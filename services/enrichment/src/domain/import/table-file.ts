import type { RawRow } from './raw-row.ts';

/** A file of rows, opened and read as far as its columns need. */
export interface TableFile {
  /** Of the octets of the file as it lies there. */
  readonly sha256: string;
  readonly columns: readonly string[];
  /** The first rows, which `rows` answers again. */
  readonly samples: readonly RawRow[];
  /** All rows, once. Throws a `FileFault` at the line from which on the file cannot be read. */
  readonly rows: AsyncIterable<RawRow>;
  /** How far it has been read, in octets of the file. */
  progress(): { readonly bytes: number; readonly bytesTotal: number };
}

export interface TableFileOptions {
  /** Found out from the first line unless it is given. */
  readonly delimiter?: string | undefined;
  /** A label of the Encoding Standard; UTF-8 or what the byte order mark says unless it is given. */
  readonly encoding?: string | undefined;
}
