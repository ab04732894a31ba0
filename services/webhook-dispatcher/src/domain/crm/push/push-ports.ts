import type { NextJob, WorkStore } from '@mailproof/durable-work';
import type { CrmAction, ExportId, ExportPauseReason, ExportUndoFailure } from '@mailproof/shared-types';
import type { Export, ExportChange } from '../../exports/export.ts';

/** The identity of a row, so that two rows of one export never create two records for the same entity. */
interface MarkedRow {
  readonly rowNo: number;
  /** Irreversible marks of our key, of the value that records are found by, and of the record. */
  readonly marks: readonly string[];
}

/** An earlier row with the same identity. */
export interface EarlierRow {
  readonly rowNo: number;
  readonly earlierRowNo: number;
  /** `pending`: its outcome is not known yet. */
  readonly state: 'pending' | 'delivered';
}

/** The action that is about to be done for a row, recorded before the call that does it. */
interface RowIntent {
  readonly rowNo: number;
  readonly action: Extract<CrmAction, 'created' | 'updated'>;
}

/** Records data about the rows of a CRM push, apart from their outcomes. */
export interface CrmRowStore {
  /**
   * Assigns each mark to the first row that has it, and returns the rows that share a mark with an earlier row. A row
   * that was given up passes its marks on to the next.
   */
  takeMarks(exportNo: string, rows: readonly MarkedRow[]): Promise<readonly EarlierRow[]>;
  /**
   * Records intents, which a later undo reads. Returns whether the export still runs; only then may they be carried
   * out.
   */
  noteIntents(exportNo: string, intents: readonly RowIntent[]): Promise<boolean>;
  /** Deletes the identities of the rows of an export that has ended. */
  forgetMarks(exportId: ExportId): Promise<void>;
}

/** A record that an export created and that is to be removed. */
export interface CreatedRecord {
  readonly rowNo: number;
  readonly recordId: string;
}

/** A row whose record was about to be created when its process died or its CRM became unavailable. */
export interface UnsettledRow {
  readonly rowNo: number;
  readonly recordKey: string;
}

export interface UndoOutcome {
  readonly rowNo: number;
  readonly undone: 'removed' | 'failed';
  /** Why it could not be removed, as stored. */
  readonly fault: string | null;
}

/** Stores the progress of an undo. */
export interface UndoStore
  extends Pick<WorkStore<ExportId, Export, ExportChange, never>, 'find' | 'findOf' | 'sweep'> {
  /**
   * Starts an undo and its job, or restarts it with the records that failed or were added since. Undefined, without any
   * effect, if it is already running, nothing is left to remove, or the export is gone.
   */
  begin(record: Export, now: Date): Promise<Export | undefined>;
  /** The next records that have not been handled yet, in the order of their rows. */
  next(exportNo: string, recordsMax: number): Promise<readonly CreatedRecord[]>;
  /** Rows for which it is unknown whether their records were created. */
  unsettled(exportNo: string, rowsMax: number): Promise<readonly UnsettledRow[]>;
  /** Stores the records that were found for these rows; null if none was created. */
  settle(
    exportNo: string,
    found: readonly { readonly rowNo: number; readonly recordId: string | null }[],
    now: Date,
  ): Promise<void>;
  /** Stores the outcomes of some records, and counts each once. */
  record(exportNo: string, outcomes: readonly UndoOutcome[], now: Date): Promise<void>;
  /** Stores the next job. */
  enqueue(exportId: ExportId, nextJob: NextJob): Promise<void>;
  /** Counts one more consecutive failure that is our fault. */
  noteFault(exportNo: string): Promise<void>;
  /** Ends the undo, if it is running. */
  end(exportNo: string, failure: ExportUndoFailure | null, now: Date): Promise<Export | undefined>;
}

/** How many rows of a CRM push had each outcome. */
export type CrmOutcomeCounts = Readonly<Record<CrmAction | 'failed' | 'retried', number>>;

/** Events of CRM pushes; they never contain the values of rows. */
export interface CrmPushEvents {
  crmRowsPushed(record: Export, rows: CrmOutcomeCounts): void;
  pushPaused(record: Export, reason: ExportPauseReason, pausedMs: number): void;
  undoStarted(record: Export): void;
  undoEnded(record: Export): void;
}
