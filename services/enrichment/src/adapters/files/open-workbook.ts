import {
  createOneAtATime,
  createOpenSheet,
  type SheetRow,
  WorkbookFault,
} from '@mailproof/service-kit/workbook';
import { FileFault, type RawRow } from '../../domain/import/table-file.ts';
import { type OpenedTable, openRows } from './open-table-file.ts';
import { columnsOf } from './read-rows.ts';

const nothing = async () => undefined;

/** One workbook is open at a time, because its texts are in memory. */
const openSheet = createOpenSheet({ turn: nothing, enter: createOneAtATime() });

/** An opened workbook. Closing it frees what it holds, however far it was read. */
export type OpenedWorkbook = OpenedTable & { close(): Promise<void> };

/** Opens the first visible sheet of a workbook; its first row has the names of the columns. */
export async function openWorkbook(octets: AsyncIterable<Uint8Array>): Promise<OpenedWorkbook> {
  const { rows: sheet } = await orFileFault(() => openSheet(octets, undefined, nothing));
  const close = async () => void (await sheet.return(undefined));
  try {
    const first = await orFileFault(() => sheet.next());
    if (first.done) {
      throw new FileFault('The sheet is empty.');
    }
    const columns = columnsOf(first.value.cells);
    const opened = await openRows(columns, rowsOf(sheet, columns));
    return { format: 'xlsx', ...opened, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* rowsOf(sheet: AsyncGenerator<SheetRow>, columns: readonly string[]): AsyncGenerator<RawRow> {
  for (;;) {
    const next = await orFileFault(() => sheet.next());
    if (next.done) {
      return;
    }
    const { line, cells } = next.value;
    const values = columns.flatMap((column, at) => (cells[at] ? [[column, cells[at]] as const] : []));
    yield { line, values: Object.fromEntries(values) };
  }
}

async function orFileFault<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WorkbookFault ? new FileFault(error.message) : error;
  }
}
