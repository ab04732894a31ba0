import type { LoadOutcome, SourceLoad } from '../profile-store/profile-store.ts';
import type { ImportKind } from './fields.ts';
import type { ImportCounts, ImportRuns } from './import-runs.ts';
import type { Mapping } from './mapping.ts';
import { FileFault, type RawRow } from './raw-row.ts';
import { readCompanyRow, readPersonRow } from './read-row.ts';
import type { TableFile } from './table-file.ts';

/** Rows of one transaction: enough to be quick, few enough that whoever is suppressed waits for a moment only. */
const rowsPerBatch = 2_000;

/** A row that was not loaded, for the report. It does not repeat what the row says. */
export interface RefusedRow {
  readonly line: number;
  readonly reason: string;
  readonly column?: string | undefined;
}

export interface ImportPorts {
  /** Absent in a dry run, which reads and stores nothing. */
  readonly runs: ImportRuns | undefined;
  readonly now: () => Date;
  readonly onRefused: (row: RefusedRow) => void;
  /** After each batch, and while rows are passed over that were dealt with before. */
  readonly onProgress: (progress: ImportProgress) => void;
  /** Writes the report down as far as it goes, before the batch commits. */
  readonly flush: () => Promise<void>;
}

export interface ImportProgress {
  readonly rowsDone: number;
  readonly bytes: number;
  readonly bytesTotal: number;
}

export interface ImportRequest {
  readonly kind: ImportKind;
  readonly file: TableFile;
  readonly mapping: Mapping;
  readonly load: SourceLoad;
  readonly again: boolean;
  readonly signal: AbortSignal;
}

export interface ImportReport extends ImportCounts {
  /** `broken` where the file cannot be read to its end, `stopped` where somebody stopped it; both can go on later. */
  readonly state: 'ended' | 'ended_before' | 'broken' | 'stopped';
  readonly rowsDone: number;
  /** Rows that an earlier run of the same import had dealt with. */
  readonly rowsBefore: number;
  /** Field to the number of rows whose text in it was not understood. */
  readonly ignored: Readonly<Record<string, number>>;
  readonly fault?: string;
}

/** Loads a file from where it was broken off, if it was. What is loaded stays, whatever happens later. */
export async function importFile(ports: ImportPorts, request: ImportRequest): Promise<ImportReport> {
  const { runs, now } = ports;
  const { kind, load, again } = request;
  const begun = await runs?.begin(kind, load, again, now());
  const tally = new Tally(begun);
  if (begun?.isEnded) {
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
    // What stands before the fault is whole.
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
  for (const [place, each] of read.entries()) {
    const line = rows[place]?.line ?? 0;
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
  const outcomes =
    (await runs?.save(kind, load, batch, tally.rowsDone, now())) ??
    readable.map((): LoadOutcome => ({ kind: 'added' }));
  for (const [place, outcome] of outcomes.entries()) {
    if (outcome.kind === 'refused') {
      onRefused({ line: readable[place]?.line ?? 0, reason: outcome.reason });
    }
  }
  tally.count(rows.length, refused, outcomes);
}

function readRow(kind: ImportKind, row: RawRow, mapping: Mapping) {
  if ('unreadable' in row) {
    return { refused: row.unreadable, column: undefined };
  }
  const read =
    kind === 'companies' ? readCompanyRow(row.values, mapping) : readPersonRow(row.values, mapping);
  return 'refused' in read ? { refused: read.refused, column: read.column } : read;
}

/** Counts rows, those of earlier runs of the same import included. */
class Tally {
  readonly rowsBefore: number;
  rowsDone: number;
  private readonly counts: { added: number; merged: number; unchanged: number };
  private readonly refused: Record<string, number>;
  private readonly ignored: Record<string, number> = {};

  constructor(begun: (ImportCounts & { readonly rowsDone: number }) | undefined) {
    const { rowsDone = 0, added = 0, merged = 0, unchanged = 0, refused = {} } = begun ?? {};
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

  count(rows: number, refused: Readonly<Record<string, number>>, outcomes: readonly LoadOutcome[]): void {
    this.rowsDone += rows;
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
      ignored: this.ignored,
      ...(fault !== undefined && { fault }),
    };
  }
}
