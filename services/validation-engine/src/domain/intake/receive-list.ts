import { isSandboxAccount, limits, type ValidationJobId } from '@mailproof/shared-types';
import { type AddressTally, createAddressTally } from './address-tally.ts';
import { createColumnFacts } from './column-facts.ts';
import { nameColumns } from './column-names.ts';
import { IntakeFault, notReadable } from './intake-fault.ts';
import type { FileLayout, IntakeStore, JobContent, NewJob, NewRow } from './intake-job.ts';
import { countRows } from './recount-job.ts';
import { findAddressColumn } from './table-layout.ts';

/** One row of a table, and the line on which it ends, from 1. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Incoming rows, and the facts known from their beginning. */
export interface Table {
  readonly rows: AsyncIterable<TableRow>;
  readonly hasHeader: boolean;
  /** As the beginning suggests. */
  readonly addressColumn: number;
  /** The sender has named the address column, so the cells are not examined to find it. */
  readonly addressColumnIsGiven?: true;
  /** How the file was decoded, known once it has been read completely; null for a list. */
  layout(): FileLayout | null;
  /** Column names of a table without a header, known once it has been read completely. */
  readonly names?: () => readonly string[];
}

/** Opens a table; calls `arrived` for each piece that it reads, because it may read many before the first row. */
export type OpenTable = (arrived: () => Promise<void>) => Promise<Table>;

export interface ReceiveListPorts {
  readonly store: IntakeStore;
  /** Whether the error refuses the file, as opposed to a sender that disconnected. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly nowMs: () => number;
}

/** A batch is written when it reaches this number of rows or characters, or this age in milliseconds. */
const batchRowsMax = 1_000;
const batchCharactersMax = 1_000_000;
const batchMsMax = 20_000;

/**
 * Receives a table row by row, with at most one batch in memory. A refused table leaves nothing behind; an interrupted
 * one leaves a job that says so.
 *
 * @returns `keyInUse` if another upload with the same `Idempotency-Key` came first; nothing is read then
 * @throws IntakeFault if the table is refused
 */
export async function receiveList(
  ports: ReceiveListPorts,
  job: NewJob,
  open: OpenTable,
): Promise<'received' | 'keyInUse'> {
  const begun = await ports.store.begin(job);
  if (begun === 'keyInUse') {
    return begun;
  }
  if (begun === 'tooMany') {
    throw new IntakeFault(
      'too_many_unstarted_jobs',
      `At most ${limits.uploadsAtOnceMax} uploads can run in parallel, and at most ${limits.unstartedJobsMax} jobs can wait to start.`,
    );
  }
  try {
    await takeRows(ports, job, open);
  } catch (error) {
    if (error instanceof IntakeFault || ports.isRefusal(error)) {
      await ports.store.discard(job.jobId);
    } else {
      // If the store itself is down, the sweep finds the job later.
      await ports.store.interrupt(job.jobId).catch(() => undefined);
    }
    throw error;
  }
  return 'received';
}

async function takeRows(
  ports: ReceiveListPorts,
  { jobId, accountId, upload }: Pick<NewJob, 'jobId' | 'accountId' | 'upload'>,
  open: OpenTable,
): Promise<void> {
  const isSandbox = isSandboxAccount(accountId);
  let layout: Table['layout'] = () => null;
  const tally = createAddressTally({ encodingIsGuess: () => layout()?.encodingIsGuess ?? false, isSandbox });
  const facts = createColumnFacts();
  const batch = createBatch(ports, jobId, tally);
  const table = await open(batch.showLife);
  layout = table.layout;
  let header: readonly string[] = [];
  let rowNo = 0;
  /**
   * Rows of empty cells. They are kept only if another row follows, because programs write thousands of them at the
   * end.
   */
  let empty: number[] = [];
  const keep = async (cells: readonly string[]) => {
    rowNo += 1;
    if (tally.counts().total === limits.jobRowsMax) {
      throw tooManyRows();
    }
    facts.look(cells);
    await batch.add({ rowNo, cells, ...countedBy(tally, cells[table.addressColumn] ?? '') });
  };
  for await (const row of table.rows) {
    assertShort(row);
    if (table.hasHeader && rowNo === 0) {
      header = row.cells;
      rowNo = 1;
    } else if (row.cells.every(cell => cell === '')) {
      empty.push(row.cells.length);
      if (empty.length > limits.jobRowsMax) {
        throw tooManyRows();
      }
    } else {
      for (const width of empty) {
        await keep(Array.from({ length: width }, () => ''));
      }
      empty = [];
      await keep(row.cells);
    }
  }
  await batch.flush();
  const columnFacts = facts.facts();
  const content = contentOf({ table, header, columnFacts, tally });
  assertFull(content, table);
  const addressColumn = table.addressColumnIsGiven ? content.addressColumn : bestColumnOf(content);
  if (addressColumn === content.addressColumn) {
    tally.assertAllowed();
  }
  await finish(ports.store, { jobId, upload }, content, { addressColumn, isSandbox });
}

function countedBy(tally: AddressTally, cell: string): Omit<NewRow, 'rowNo' | 'cells'> {
  const { row, isNew } = tally.count(cell);
  return { ...row, ...(isNew && { isNew }) };
}

function contentOf(read: {
  readonly table: Table;
  readonly header: readonly string[];
  readonly columnFacts: JobContent['columnFacts'];
  readonly tally: AddressTally;
}): JobContent {
  const { table, header, columnFacts, tally } = read;
  const width = Math.max(header.length, columnFacts.length);
  return {
    layout: table.layout(),
    header,
    columns: table.names?.().slice(0, Math.max(1, width)) ?? nameColumns(header, width),
    columnFacts: Array.from(
      { length: width },
      (_, index) => columnFacts[index] ?? { samples: [], filled: 0, addresses: 0 },
    ),
    addressColumn: table.addressColumn,
    counts: tally.counts(),
    addresses: tally.addresses(),
  };
}

/** Counts again if the beginning was misleading about the address column; every cell is known by now. */
async function finish(
  store: IntakeStore,
  { jobId, upload }: Pick<NewJob, 'jobId' | 'upload'>,
  content: JobContent,
  { addressColumn, isSandbox }: { readonly addressColumn: number; readonly isSandbox: boolean },
): Promise<void> {
  let known = content;
  if (addressColumn !== content.addressColumn) {
    await store.recount(jobId, 'receiving', async (_job, rows) => {
      known = await countRows({ ...content, addressColumn }, rows, isSandbox);
      return known;
    });
  }
  if (!(await store.finish(jobId, known, upload?.hash() ?? null))) {
    throw givenUp();
  }
}

/** The error if the sweep has ended the job; it does so only to a job that got no rows for minutes. */
function givenUp(): Error {
  return new Error('The upload was interrupted.');
}

function bestColumnOf({ columns, columnFacts, addressColumn, layout }: JobContent): number {
  const names = layout?.hasHeader === false ? [] : columns;
  return (
    findAddressColumn(
      names,
      columnFacts.map(({ addresses }) => addresses),
    ) ?? addressColumn
  );
}

/** @throws IntakeFault if there is nothing to validate */
function assertFull(
  { counts, columns, columnFacts, layout, addressColumn }: JobContent,
  { addressColumnIsGiven }: Pick<Table, 'addressColumnIsGiven'>,
): void {
  const { table, otherSheets, hint } = whereToLook(layout);
  if (counts.total === 0) {
    throw layout === null || layout.format === 'ndjson'
      ? new IntakeFault('no_addresses_found', 'The list is empty.')
      : new IntakeFault(
          'file_not_readable',
          layout.octets === 0 ? 'The file is empty.' : `${table} has no rows.${hint}`,
          { otherSheets },
        );
  }
  if (addressColumnIsGiven && counts.valid === 0) {
    throw new IntakeFault(
      'no_addresses_found',
      `The column “${columns[addressColumn]}” contains no email address.`,
    );
  }
  if (columnFacts.every(({ addresses }) => addresses === 0)) {
    const examined = columnFacts.length === 1 ? '1 column' : `${columnFacts.length} columns`;
    throw new IntakeFault('no_addresses_found', `${table} has ${examined} and no email address.${hint}`, {
      otherSheets,
    });
  }
}

const sheetsNamedMax = 10;

/** Names the table that was read, and the other sheets of a workbook, one of which may be the list. */
function whereToLook(layout: JobContent['layout']): {
  readonly table: string;
  readonly otherSheets: readonly string[];
  readonly hint: string;
} {
  if (layout?.format !== 'xlsx') {
    return { table: 'The file', otherSheets: [], hint: '' };
  }
  const { sheet = '', sheets = [] } = layout;
  const otherSheets = sheets.filter(name => name !== sheet);
  const named = otherSheets.slice(0, sheetsNamedMax).map(name => `“${name}”`);
  const rest = otherSheets.length > sheetsNamedMax ? ', …' : '';
  return {
    table: `The sheet “${sheet}”`,
    otherSheets,
    hint: named.length === 0 ? '' : ` The other sheets: ${named.join(', ')}${rest}.`,
  };
}

function tooManyRows(): IntakeFault {
  return new IntakeFault('too_many_rows', `A job can have at most ${limits.jobRowsMax} rows.`);
}

function assertShort({ line, cells }: TableRow): void {
  if (cells.length > limits.jobColumnsMax) {
    throw notReadable(
      `The row that ends on line ${line} has ${cells.length} cells; the limit is ${limits.jobColumnsMax}. The delimiter may be wrong.`,
    );
  }
  const long = cells.findIndex(cell => cell.length > limits.cellCharactersMax);
  if (long !== -1) {
    throw notReadable(
      `In the row that ends on line ${line}, cell ${long + 1} has ${cells[long]?.length} characters; the limit is ${limits.cellCharactersMax}. A quote may not be closed.`,
    );
  }
}

function createBatch({ store, nowMs }: ReceiveListPorts, jobId: ValidationJobId, tally: AddressTally) {
  let rows: NewRow[] = [];
  let characters = 0;
  let writtenAtMs = nowMs();
  async function write(): Promise<void> {
    const writing = rows;
    rows = [];
    characters = 0;
    if (!(await store.append(jobId, writing, tally.counts()))) {
      throw givenUp();
    }
    writtenAtMs = nowMs();
  }
  const flush = async () => (rows.length === 0 ? undefined : write());
  return {
    flush,
    /** Tells a job without new rows from one whose process died. */
    showLife: async () => (nowMs() - writtenAtMs > batchMsMax ? write() : undefined),
    async add(row: NewRow): Promise<void> {
      rows.push(row);
      characters += row.cells.reduce((sum, cell) => sum + cell.length, 0);
      // A slow sender's rows are written too, so that its job can be told from one whose process died.
      if (
        rows.length >= batchRowsMax ||
        characters >= batchCharactersMax ||
        nowMs() - writtenAtMs > batchMsMax
      ) {
        await flush();
      }
    },
  };
}
