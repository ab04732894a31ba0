import {
  createOneAtATime,
  createOpenSheet,
  type SheetRow,
  WorkbookFault,
} from '@mailproof/service-kit/workbook';
import { FileFault, type RawRow } from '../../domain/import/table-file.ts';
import { type OpenedTable, openRows } from './open-table-file.ts';
import { columnsOf, rowBytesMax } from './read-rows.ts';

const nothing = async () => undefined;

/** One workbook is open at a time, because its texts are in memory. */
const enter = createOneAtATime();
/** How long one may take, because others wait: some 400 MB of XML on a slow machine. */
const readMsMaxDefault = 45_000;

/** An opened workbook. Closing it frees what it holds, however far it was read. */
export type OpenedWorkbook = OpenedTable & { close(): Promise<void> };

/** Opens the first visible sheet of a workbook; its first row has the names of the columns. */
export async function openWorkbook(
  octets: AsyncIterable<Uint8Array>,
  readMsMax = readMsMaxDefault,
): Promise<OpenedWorkbook> {
  const openSheet = createOpenSheet({ turn: createDeadline(readMsMax), enter });
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

/** Counts from the first piece that is read. */
function createDeadline(readMsMax: number): () => Promise<void> {
  let beganAtMs: number | undefined;
  return async () => {
    beganAtMs ??= performance.now();
    if (performance.now() - beganAtMs > readMsMax) {
      throw new WorkbookFault(
        'file_not_readable',
        `The workbook took more than ${readMsMax / 1_000} seconds to read. Split the sheet, or save it as CSV.`,
      );
    }
  };
}

async function* rowsOf(sheet: AsyncGenerator<SheetRow>, columns: readonly string[]): AsyncGenerator<RawRow> {
  for (;;) {
    const next = await orFileFault(() => sheet.next());
    if (next.done) {
      return;
    }
    const { line, cells } = next.value;
    if (cells.reduce((sum, cell) => sum + cell.length, 0) > rowBytesMax) {
      throw new FileFault(`The row has more than ${rowBytesMax} characters.`, line);
    }
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
