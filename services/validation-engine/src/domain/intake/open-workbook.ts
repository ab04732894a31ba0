import { notReadable } from './intake-fault.ts';
import { type GivenLayout, takeSamples } from './open-file.ts';
import type { Table, TableRow } from './receive-list.ts';
import { findLayout } from './table-layout.ts';

/** A sheet of a workbook, whose rows are read lazily. Ending the rows frees what the workbook holds. */
export interface OpenedSheet {
  readonly octets: number;
  readonly sheet: string;
  /** Its first sheets, by name. */
  readonly sheets: readonly string[];
  readonly rows: AsyncGenerator<TableRow>;
  /** Columns whose numbers can be told from texts, known once the rows have been read. */
  numberColumns(): readonly number[];
}

/** Opens a sheet by its name or number; the first visible one if omitted. Throws IntakeFault if there is none. */
export type OpenSheet = (
  octets: AsyncIterable<Uint8Array>,
  sheet: string | undefined,
  arrived: () => Promise<void>,
) => Promise<OpenedSheet>;

/** Opens a sheet as a table. */
export async function openWorkbook(
  octets: AsyncIterable<Uint8Array>,
  { delimiter, encoding, sheet, hasHeader: given }: GivenLayout,
  { openSheet, arrived }: { readonly openSheet: OpenSheet; readonly arrived: () => Promise<void> },
): Promise<Table> {
  if (delimiter !== undefined || encoding !== undefined) {
    throw notReadable('The file is a workbook: leave out `delimiter` and `encoding`, which are for CSV.');
  }
  const opened = await openSheet(octets, sheet, arrived);
  const { samples, rows } = await takeSamples(opened.rows);
  const found = findLayout(samples.map(({ cells }) => cells));
  const layout = 'layout' in found ? found.layout : undefined;
  const hasHeader = given ?? (layout ? layout.columnName !== undefined : samples.length > 1);
  return {
    rows,
    hasHeader,
    addressColumn: layout?.column ?? 0,
    layout: () => ({
      format: 'xlsx',
      octets: opened.octets,
      encoding: 'utf-8',
      encodingIsGuess: false,
      delimiter: '',
      hasHeader,
      sheet: opened.sheet,
      sheets: opened.sheets,
      numberColumns: opened.numberColumns(),
    }),
  };
}

/** The signature of a ZIP archive, also of an empty one. A list that begins with these octets is not text. */
export function isArchive(head: Uint8Array): boolean {
  const [p, k, third, fourth] = head;
  return p === 0x50 && k === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6));
}
