/** One row of a sheet, and its number, from 1. */
export interface SheetRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A sheet of a workbook, whose rows are read lazily. Ending the rows frees what the workbook holds. */
export interface OpenedSheet {
  readonly octets: number;
  readonly sheet: string;
  /** Its first sheets, by name. */
  readonly sheets: readonly string[];
  readonly rows: AsyncGenerator<SheetRow>;
  /** Columns whose numbers can be told from texts, known once the rows have been read. */
  numberColumns(): readonly number[];
}

/** Opens a sheet by its name or number; the first visible one if omitted. Throws WorkbookFault if there is none. */
export type OpenSheet = (
  octets: AsyncIterable<Uint8Array>,
  sheet: string | undefined,
  arrived: () => Promise<void>,
) => Promise<OpenedSheet>;
