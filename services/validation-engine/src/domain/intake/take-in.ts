import { limits, type ValidationJobId } from '@mailproof/shared-types';
import { type AddressTally, createAddressTally } from './address-tally.ts';
import { createColumnFacts } from './column-facts.ts';
import { nameColumns } from './column-names.ts';
import { IntakeFault, notReadable } from './intake-fault.ts';
import type { FileLayout, IntakeStore, JobContent, NewJob, NewRow } from './intake-job.ts';
import { countAnew } from './recount-job.ts';
import { findAddressColumn } from './table-layout.ts';

/** One row of a table, and the line on which it ends, from 1. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows on their way in, and what is known of them from their beginning. */
export interface Table {
  readonly rows: AsyncIterable<TableRow>;
  readonly hasHeader: boolean;
  /** As far as the beginning tells. */
  readonly addressColumn: number;
  /** Whoever sends has said which column has the addresses, so that the cells decide nothing. */
  readonly addressColumnIsGiven?: true;
  /** How the file was read, once all of it was; null for a list. */
  layout(): FileLayout | null;
  /** Names of the columns of what is no file. */
  readonly names?: readonly string[];
}

export interface TakeInPorts {
  readonly store: IntakeStore;
  /** Whether whoever sends has been told that what they send is refused, as opposed to having gone. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly nowMs: () => number;
}

/** Rows that are written at once: so many, so many characters, or those of so long a time in milliseconds. */
const batchRowsMax = 1_000;
const batchCharactersMax = 1_000_000;
const batchMsMax = 20_000;

/**
 * Takes a table in row by row; of a long one no more is in memory than a batch. What is refused leaves nothing behind,
 * and what broke off a job that says so.
 *
 * @throws IntakeFault where the table cannot be taken
 */
export async function takeIn(ports: TakeInPorts, job: NewJob, open: () => Promise<Table>): Promise<void> {
  if (!(await ports.store.begin(job))) {
    throw new IntakeFault(
      'too_many_unstarted_jobs',
      `At most ${limits.uploadsAtOnceMax} files come in at once, and at most ${limits.unstartedJobsMax} jobs wait for their start.`,
    );
  }
  try {
    await takeRows(ports, job.jobId, await open());
  } catch (error) {
    if (error instanceof IntakeFault || ports.isRefusal(error)) {
      await ports.store.discard(job.jobId);
    } else {
      // Where the store itself is away, the sweep finds the job later.
      await ports.store.breakOff(job.jobId).catch(() => undefined);
    }
    throw error;
  }
}

async function takeRows(ports: TakeInPorts, jobId: ValidationJobId, table: Table): Promise<void> {
  const tally = createAddressTally(() => table.layout()?.encodingIsGuess ?? false);
  const facts = createColumnFacts();
  const batch = createBatch(ports, jobId, tally);
  let header: readonly string[] = [];
  let rowNo = 0;
  /** Rows of empty cells: they are kept where another row follows, and programs write thousands of them at the end. */
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
  await finish(ports.store, jobId, content, table);
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
    columns: table.names ? table.names.slice(0, Math.max(1, width)) : nameColumns(header, width),
    columnFacts: Array.from(
      { length: width },
      (_, place) => columnFacts[place] ?? { samples: [], filled: 0, addresses: 0 },
    ),
    addressColumn: table.addressColumn,
    counts: tally.counts(),
    addresses: tally.addresses(),
  };
}

/** The beginning may have misled: by now every cell was looked at. */
async function finish(
  store: IntakeStore,
  jobId: ValidationJobId,
  content: JobContent,
  { addressColumnIsGiven }: Pick<Table, 'addressColumnIsGiven'>,
): Promise<void> {
  const addressColumn = addressColumnIsGiven ? content.addressColumn : bestColumnOf(content);
  let known = content;
  if (addressColumn !== content.addressColumn) {
    await store.recount(jobId, 'receiving', async (_job, rows) => {
      known = await countAnew({ ...content, addressColumn }, rows);
      return known;
    });
  }
  if (!(await store.finish(jobId, known))) {
    throw givenUp();
  }
}

/** Only the sweep does this, and only to a job of which nothing was written for minutes. */
function givenUp(): Error {
  return new Error('The job was given up while its rows were coming in.');
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

/** @throws IntakeFault where there is nothing to validate */
function assertFull(
  { counts, columns, columnFacts, layout, addressColumn }: JobContent,
  { addressColumnIsGiven }: Pick<Table, 'addressColumnIsGiven'>,
): void {
  if (counts.total === 0) {
    throw layout === null
      ? new IntakeFault('no_addresses_found', 'The list is empty.')
      : notReadable(layout.octets === 0 ? 'The file is empty.' : 'The file has no rows.');
  }
  if (addressColumnIsGiven && counts.valid === 0) {
    throw new IntakeFault(
      'no_addresses_found',
      `No cell of the column “${columns[addressColumn]}” is an email address.`,
    );
  }
  if (columnFacts.every(({ addresses }) => addresses === 0)) {
    throw new IntakeFault(
      'no_addresses_found',
      `None of the ${columnFacts.length} columns has a cell that is an email address.`,
    );
  }
}

function tooManyRows(): IntakeFault {
  return new IntakeFault('too_many_rows', `At most ${limits.jobRowsMax} rows are taken; there are more.`);
}

function assertShort({ line, cells }: TableRow): void {
  if (cells.length > limits.jobColumnsMax) {
    throw notReadable(
      `The row that ends on line ${line} has ${cells.length} cells; at most ${limits.jobColumnsMax} are taken. Perhaps the delimiter is another one.`,
    );
  }
  const long = cells.findIndex(cell => cell.length > limits.cellCharactersMax);
  if (long !== -1) {
    throw notReadable(
      `In the row that ends on line ${line}, cell ${long + 1} has ${cells[long]?.length} characters; at most ${limits.cellCharactersMax} are taken. Perhaps a quote was opened there and never closed.`,
    );
  }
}

function createBatch({ store, nowMs }: TakeInPorts, jobId: ValidationJobId, tally: AddressTally) {
  let rows: NewRow[] = [];
  let characters = 0;
  let writtenAtMs = nowMs();
  async function flush(): Promise<void> {
    if (rows.length === 0) {
      return;
    }
    const writing = rows;
    rows = [];
    characters = 0;
    if (!(await store.append(jobId, writing, tally.counts()))) {
      throw givenUp();
    }
    writtenAtMs = nowMs();
  }
  return {
    flush,
    async add(row: NewRow): Promise<void> {
      rows.push(row);
      characters += row.cells.reduce((sum, cell) => sum + cell.length, 0);
      // A slow sender's rows are written too, so that a job that comes in can be told from one whose process died.
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
