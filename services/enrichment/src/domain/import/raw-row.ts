/** A value as a file has it: text, or the texts of a list. */
export type RawValue = string | readonly string[];

/** Column name to value; what is empty is left out. */
export type RawValues = Readonly<Record<string, RawValue>>;

/** One row of a file, or why it cannot be read though those after it can. */
export type RawRow =
  | { readonly line: number; readonly values: RawValues }
  | { readonly line: number; readonly unreadable: 'not_json' | 'not_an_object' | 'wrong_column_count' };

/** From here on the file cannot be read. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`);
    this.line = line;
  }
}
