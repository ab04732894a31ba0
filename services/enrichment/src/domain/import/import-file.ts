import type { CompanyRecord, PersonRecord } from '../profile-store/profile-records.ts';
import type { LoadOutcome, SourceLoad } from '../profile-store/profile-store.ts';
import type { ImportKind } from './fields.ts';
import type { Mapping } from './mapping.ts';
import { readCompanyRow, readPersonRow } from './read-row.ts';
import { FileFault, type RawRow, type TableFile } from './table-file.ts';

/** The number of rows per transaction: enough for throughput, few enough that a suppression waits only a moment. */
const rowsPerBatch = 2_000;

/** A row that was not loaded, for the report. It does not repeat the row's contents. */
interface RefusedRow {
  readonly line: number;
  readonly reason: string;
  readonly column?: string | undefined;
}

interface ImportPorts {
  /** Undefined in a dry run, which reads the file but stores nothing. */
  readonly runs: ImportRuns | undefined;
  readonly now: () => Date;
  readonly onRefused: (row: RefusedRow) => void;
  /** Called after each batch, and while skipping rows that an earlier run processed. */
  readonly onProgress: (progress: ImportProgress) => void;
  /** Flushes the report written so far, before the batch commits. */
  readonly flush: () => Promise<void>;
}

interface ImportProgress {
  readonly rowsDone: number;
  readonly bytes: number;
  readonly bytesTotal: number;
}

interface ImportRequest {
  readonly kind: ImportKind;
  readonly file: TableFile;
  readonly mapping: Mapping;
  readonly load: SourceLoad;
  readonly again: boolean;
  readonly signal: AbortSignal;
}

export interface ImportReport extends ImportCounts {
  /**
   * `broken` if the file cannot be read to its end, `stopped` if the operator stopped it; both can be resumed later.
   */
  readonly state: 'ended' | 'ended_before' | 'broken' | 'stopped';
  readonly rowsDone: number;
  /** Rows that an earlier run of the same import processed. */
  readonly rowsBefore: number;
  /** For each field, the number of rows whose text in it was not understood. */
  readonly ignored: Readonly<Record<string, number>>;
  readonly fault?: string;
}

/** Loads a file, resuming where an earlier import stopped. Loaded rows stay, even if the rest fails. */
export async function importFile(ports: ImportPorts, request: ImportRequest): Promise<ImportReport> {
  const { runs, now } = ports;
  const { kind, load, again } = request;
  const started = await runs?.begin(kind, load, again, now());
  const tally = new Tally(started);
  if (started?.isEnded) {
    return tally.report('ended_before');
  }
  try {
    const isWhole = await loadRows(ports, request, tally);
    if (!isWhole) {
      return tally.report('stopped');
    }
    await runs?.end(kind, load, now());
    return tally.report('ended');
  } catch (error) {
    if (error instanceof FileFault) {
      return tally.report('broken', error.message);
    }
    throw error;
  }
}

async function loadRows(ports: ImportPorts, request: ImportRequest, tally: Tally): Promise<boolean> {
  const { file, signal } = request;
  let batch: RawRow[] = [];
  let passed = 0;
  const tell = () => ports.onProgress({ rowsDone: Math.max(passed, tally.rowsDone), ...file.progress() });
  const save = async () => {
    const rows = batch;
    batch = [];
    if (rows.length > 0) {
      await saveBatch(ports, request, tally, rows);
      tell();
    }
  };
  try {
    for await (const row of file.rows) {
      if (signal.aborted) {
        return false;
      }
      if (passed < tally.rowsBefore) {
        passed += 1;
        if (passed % rowsPerBatch === 0) tell();
        continue;
      }
      batch.push(row);
      if (batch.length === rowsPerBatch) {
        await save();
      }
    }
  } catch (error) {
    // The rows before the fault are complete.
    await save();
    throw error;
  }
  await save();
  return true;
}

async function saveBatch(
  { runs, now, onRefused, flush }: ImportPorts,
  { kind, load, mapping }: ImportRequest,
  tally: Tally,
  rows: readonly RawRow[],
): Promise<void> {
  const read = rows.map(row => readRow(kind, row, mapping));
  const refused: Record<string, number> = {};
  const readable: { line: number; record: object }[] = [];
  for (const [index, each] of read.entries()) {
    const line = rows[index]?.line ?? 0;
    if ('refused' in each) {
      refused[each.refused] = (refused[each.refused] ?? 0) + 1;
      onRefused({ line, reason: each.refused, column: each.column });
    } else {
      readable.push({ line, record: each.record });
      tally.ignore(each.ignored);
    }
  }
  const records = readable.map(({ record }) => record) as never;
  const batch = { records, rows: rows.length, refused };
  await flush();
  const { outcomes, companies } = (await runs?.save(kind, load, batch, tally.rowsDone, now())) ?? {
    outcomes: readable.map((): LoadOutcome => ({ kind: 'added' })),
    companies: noCompanies,
  };
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'refused') {
      onRefused({ line: readable[index]?.line ?? 0, reason: outcome.reason });
    }
  }
  tally.count(rows.length, refused, outcomes, companies);
}

function readRow(kind: ImportKind, row: RawRow, mapping: Mapping) {
  if ('unreadable' in row) {
    return { refused: row.unreadable, column: undefined };
  }
  const read =
    kind === 'companies' ? readCompanyRow(row.values, mapping) : readPersonRow(row.values, mapping);
  return 'refused' in read ? { refused: read.refused, column: read.column } : read;
}

/** Counts rows, including those of earlier runs of the same import. */
class Tally {
  readonly rowsBefore: number;
  rowsDone: number;
  private readonly counts: { added: number; merged: number; unchanged: number };
  private readonly refused: Record<string, number>;
  private readonly ignored: Record<string, number> = {};
  private companies: JoinedCompanies;

  constructor(started: (ImportCounts & { readonly rowsDone: number }) | undefined) {
    const { rowsDone = 0, added = 0, merged = 0, unchanged = 0, refused = {} } = started ?? {};
    this.companies = started?.companies ?? noCompanies;
    this.rowsBefore = rowsDone;
    this.rowsDone = rowsDone;
    this.counts = { added, merged, unchanged };
    this.refused = { ...refused };
  }

  ignore(fields: readonly string[]): void {
    for (const field of fields) {
      this.ignored[field] = (this.ignored[field] ?? 0) + 1;
    }
  }

  count(
    rows: number,
    refused: Readonly<Record<string, number>>,
    outcomes: readonly LoadOutcome[],
    { added, merged }: JoinedCompanies,
  ): void {
    this.rowsDone += rows;
    this.companies = { added: this.companies.added + added, merged: this.companies.merged + merged };
    for (const [reason, number] of Object.entries(refused)) {
      this.refused[reason] = (this.refused[reason] ?? 0) + number;
    }
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused') {
        this.refused[outcome.reason] = (this.refused[outcome.reason] ?? 0) + 1;
      } else {
        this.counts[outcome.kind] += 1;
      }
    }
  }

  report(state: ImportReport['state'], fault?: string): ImportReport {
    return {
      state,
      rowsDone: this.rowsDone,
      rowsBefore: this.rowsBefore,
      ...this.counts,
      refused: this.refused,
      companies: this.companies,
      ignored: this.ignored,
      ...(fault !== undefined && { fault }),
    };
  }
}

/** The outcomes of the rows of a file processed so far. */
interface ImportCounts {
  readonly added: number;
  readonly merged: number;
  readonly unchanged: number;
  /** The number of rows for each reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly companies: JoinedCompanies;
}

/** How often a row of a person added a company or changed one. */
export interface JoinedCompanies {
  readonly added: number;
  readonly merged: number;
}

export const noCompanies: JoinedCompanies = { added: 0, merged: 0 };

export interface ImportPosition extends ImportCounts {
  readonly rowsDone: number;
  readonly isEnded: boolean;
}

/** Rows that were read, in file order. */
interface ImportBatch {
  readonly records: readonly CompanyRecord[] | readonly PersonRecord[];
  /** The number of rows that the batch covers, including those refused while reading. */
  readonly rows: number;
  /** The number of refused rows for each reason. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Another process is importing the same file. */
export class ImportConflict extends Error {
  override readonly name = 'ImportConflict';
}

/** The store as used by an import: loaded rows and the position in the file commit together. */
export interface ImportRuns {
  /** Starts an import, or returns the position of an earlier one. `again` starts over with a file that ended. */
  begin(kind: ImportKind, load: SourceLoad, again: boolean, now: Date): Promise<ImportPosition>;
  /**
   * Returns the outcome of each record, in their order. Throws an `ImportConflict` if another process has continued
   * with the same file.
   */
  save(
    kind: ImportKind,
    load: SourceLoad,
    batch: ImportBatch,
    rowsBefore: number,
    now: Date,
  ): Promise<{ readonly outcomes: LoadOutcome[]; readonly companies: JoinedCompanies }>;
  end(kind: ImportKind, load: SourceLoad, now: Date): Promise<void>;
}
