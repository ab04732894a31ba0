import type {
  AccountId,
  CrmAction,
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
  UserId,
} from '@mailproof/shared-types';

/** How rows are written or sent, as the contract of their target has it; never where to. */
export type ExportOptions = Readonly<Record<string, unknown>>;

/** Rows on their way to another system, as it is written down. */
export interface Export {
  readonly exportNo: string;
  readonly exportId: ExportId;
  readonly accountId: AccountId;
  readonly createdBy: UserId;
  readonly requestId: RequestId | null;
  readonly name: string;
  readonly source: ExportSource;
  readonly target: ExportTarget;
  readonly options: ExportOptions;
  readonly columns: readonly string[];
  readonly status: ExportStatus;
  /** Why it stands still while it is `running`, and until when; null where it waits for somebody. */
  readonly pauseReason: ExportPauseReason | null;
  readonly resumesAt: Date | null;
  readonly failure: ExportFailure | null;
  /** Keys are listed from after this one on; null before the first page. */
  readonly listingPosition: string | null;
  readonly isListed: boolean;
  /** As the source counted them at first; as many as were listed when `isListed`. */
  readonly rowsTotal: number;
  readonly rowsDelivered: number;
  readonly rowsFailed: number;
  readonly rowsGone: number;
  /** Of a push to a CRM, what was done for rows that were delivered. */
  readonly rowsCreated: number;
  readonly rowsUpdated: number;
  readonly rowsSkipped: number;
  /** Taking away what the export created; null where nobody has asked for it. */
  readonly undo: ExportUndo | null;
  /** Milliseconds for which receivers have made it wait so far, and how often they said so. */
  readonly pausedMs: number;
  readonly throttled: number;
  /** Rows a second that the receiver has shown to take. */
  readonly pace: number | null;
  readonly failedAttempts: number;
  /** Who works on it; a worker that finds another one here stops. */
  readonly runner: string | null;
  /** Grows with every change; whoever acts on an older one has to look again. */
  readonly version: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly movedAt: Date;
  readonly endedAt: Date | null;
  readonly deletedAt: Date;
}

/** Taking away what a push to a CRM has created. */
export interface ExportUndo {
  readonly status: ExportUndoStatus;
  readonly failure: ExportUndoFailure | null;
  readonly records: number;
  readonly removed: number;
  readonly failed: number;
  readonly begunAt: Date;
  readonly endedAt: Date | null;
}

/** What a change of an export may touch. */
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

/** A row of an export, by the key that its source knows it by. */
export interface ExportRow {
  readonly rowNo: number;
  readonly recordKey: string;
  readonly state: ExportRowState;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly fault: string | null;
  /** Of a push to a CRM: what was done, or is going to be done while the row is pending. */
  readonly action: CrmAction | null;
  readonly crmRecordId: string | null;
  /** What came of taking its record away again. */
  readonly undone: 'removed' | 'failed' | null;
  readonly retryAt: Date | null;
  readonly attemptedAt: Date | null;
}

/** What became of a row that was claimed. */
export interface RowOutcome {
  readonly rowNo: number;
  /** `pending` when it is to be tried again, at `retryAt` or as soon as may be. */
  readonly state: ExportRowState;
  /** Attempts so far, this one among them if it was one. An outcome with fewer than are written down is late: it is dropped. */
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly fault: string | null;
  readonly retryAt: Date | null;
  /** Null where none was made: what stands there stays. */
  readonly attemptedAt: Date | null;
  /**
   * Of a row that a CRM has taken, or that was not written since there was nothing to write; `created` of one that is
   * given up, where an earlier attempt may have created its record.
   */
  readonly action?: CrmAction;
  readonly crmRecordId?: string | null;
}

export function hasEnded({ status }: Pick<Export, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** Rows of which it is not known yet what becomes of them. */
export function rowsLeft(
  record: Pick<Export, 'rowsTotal' | 'rowsDelivered' | 'rowsFailed' | 'rowsGone'>,
): number {
  return record.rowsTotal - record.rowsDelivered - record.rowsFailed - record.rowsGone;
}
