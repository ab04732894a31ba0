import type { Work } from '@mailproof/durable-work';
import type {
  CreatorId,
  CrmAction,
  DeliveryFault,
  ExportFailure,
  ExportId,
  ExportPauseReason,
  ExportRowState,
  ExportSource,
  ExportStatus,
  ExportTarget,
  ExportUndoFailure,
  ExportUndoStatus,
  RequestId,
} from '@mailproof/shared-types';

/** How rows are written or sent, as defined by the contract of the target; never the destination. */
export type ExportOptions = Readonly<Record<string, unknown>>;

/** The stored state of an export of rows to another system. */
export interface Export extends Work {
  readonly exportNo: string;
  readonly exportId: ExportId;
  readonly createdBy: CreatorId;
  readonly requestId: RequestId | null;
  readonly name: string;
  readonly source: ExportSource;
  /** The export whose failed rows this one has, under their keys in its source; null if it has all rows of the source. */
  readonly failedRowsOf: ExportId | null;
  readonly target: ExportTarget;
  readonly options: ExportOptions;
  readonly columns: readonly string[];
  readonly status: ExportStatus;
  /** Why the export is paused while it is `running`; `resumesAt` is when it resumes, or null if it waits for a user. */
  readonly pauseReason: ExportPauseReason | null;
  readonly resumesAt: Date | null;
  readonly failure: ExportFailure | null;
  /** The key after which listing continues; null before the first page. */
  readonly listingPosition: string | null;
  readonly isListed: boolean;
  /** The source's initial count; the number of listed rows once `isListed`. */
  readonly rowsTotal: number;
  readonly rowsDelivered: number;
  readonly rowsFailed: number;
  readonly rowsGone: number;
  /** Rows of a running job that had no result yet and are left out; exact once `isListed`. */
  readonly rowsOpen: number;
  /** Only for a push to a CRM: how many delivered rows created, updated, or skipped a record. */
  readonly rowsCreated: number;
  readonly rowsUpdated: number;
  readonly rowsSkipped: number;
  /** The removal of the records that the export created; null if not requested. */
  readonly undo: ExportUndo | null;
  /** How long receivers have made it wait so far, in milliseconds; `throttled` is how often they asked. */
  readonly pausedMs: number;
  readonly throttled: number;
  /** Rows per second that the receiver is known to accept. */
  readonly pace: number | null;
  /** The worker that runs the export; a worker that finds another one here stops. */
  readonly runner: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly deletedAt: Date;
}

/** The removal of the records that a push to a CRM has created. */
export interface ExportUndo {
  readonly status: ExportUndoStatus;
  readonly failure: ExportUndoFailure | null;
  readonly records: number;
  readonly removed: number;
  readonly failed: number;
  /** Consecutive failed steps that are our fault. */
  readonly failedAttempts: number;
  readonly begunAt: Date;
  readonly endedAt: Date | null;
}

/** The fields that a change of an export may set. */
export type ExportChange = Partial<
  Pick<
    Export,
    | 'status'
    | 'pauseReason'
    | 'resumesAt'
    | 'failure'
    | 'pausedMs'
    | 'throttled'
    | 'pace'
    | 'failedAttempts'
    | 'runner'
    | 'startedAt'
    | 'movedAt'
    | 'endedAt'
  >
>;

/** A row of an export, identified by its key in the source. */
export interface ExportRow {
  readonly rowNo: number;
  readonly recordKey: string;
  readonly state: ExportRowState;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly fault: string | null;
  /** Only for a push to a CRM: what was done, or will be done while the row is pending. */
  readonly action: CrmAction | null;
  readonly crmRecordId: string | null;
  /** The result of undoing its record. */
  readonly undone: 'removed' | 'failed' | null;
  readonly retryAt: Date | null;
  readonly attemptedAt: Date | null;
}

/** The outcome of a claimed row. */
export interface RowOutcome {
  readonly rowNo: number;
  /** `pending` if the row is to be retried, at `retryAt` or as soon as possible. */
  readonly state: ExportRowState;
  /**
   * Attempts so far, including this one if it counts. An outcome with fewer attempts than stored is late and is
   * dropped.
   */
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly fault: string | null;
  readonly retryAt: Date | null;
  /** Null if there was no attempt: the existing value stays. */
  readonly attemptedAt: Date | null;
  /**
   * Set for a row that a CRM has accepted, or that had nothing to write; `created` for a row that is given up although
   * an earlier attempt may have created its record.
   */
  readonly action?: CrmAction;
  readonly crmRecordId?: string | null;
}

export function hasEnded({ status }: Pick<Export, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The number of rows whose outcome is not known yet. */
export function rowsLeft(
  record: Pick<Export, 'rowsTotal' | 'rowsDelivered' | 'rowsFailed' | 'rowsGone'>,
): number {
  return record.rowsTotal - record.rowsDelivered - record.rowsFailed - record.rowsGone;
}

/** Faults of a row that are due to its destination; the row may succeed at another one. */
export const destinationFaults = [
  'refused',
  'redirected',
  'not_allowed',
  'unexpected_answer',
] as const satisfies readonly DeliveryFault[];
