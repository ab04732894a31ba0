import type { CrmAction, ExportedValue, ExportFailure, ExportId } from '@mailproof/shared-types';
import type { Export, ExportChange, RowOutcome } from './export.ts';

/** A claimed row with what it says, in the order of the export's columns. */
export interface LeavingRow {
  readonly rowNo: number;
  /** Attempts so far. */
  readonly attempts: number;
  /** What an attempt whose end is not known was going to do in a CRM. */
  readonly intent?: CrmAction | null;
  readonly values: readonly ExportedValue[];
}

/** What became of some rows on their way. */
export interface BatchResult {
  /** A claimed row that is not among them is given back, as if it had not been claimed. */
  readonly outcomes: readonly RowOutcome[];
  /** What it says of the receiver. With a `pauseReason` nothing is delivered until `resumesAt`, or until somebody resumes. */
  readonly change: Pick<ExportChange, 'pauseReason' | 'resumesAt' | 'throttled' | 'pausedMs' | 'pace'>;
  /** The export ends for this reason; rows that are pending stay so. */
  readonly failure?: ExportFailure;
}

/** What takes rows to where they go; an export to a file needs none. */
export interface RowDelivery {
  /** So many rows as are worth claiming at once: what the receiver takes in a few seconds. */
  rowsAtOnce(record: Export): number;
  /** Whatever it throws counts as a fault of our own: the rows are given back, and tried again later. */
  deliverRows(record: Export, rows: readonly LeavingRow[], signal: AbortSignal): Promise<BatchResult>;
  /** Forgets where the rows of an export go: it has ended, or is deleted. May come several times. */
  forget(exportId: ExportId): Promise<void>;
}
