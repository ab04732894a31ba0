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
import type {
  Export,
  ExportChange,
  ExportOptions,
  ExportRow,
  ExportUndo,
} from '../../domain/exports/export.ts';

/** An export as the driver reads it. */
export interface ExportTableRow {
  readonly export_no: string;
  readonly export_id: ExportId;
  readonly account_id: AccountId;
  readonly created_by: UserId;
  readonly request_id: RequestId | null;
  readonly name: string;
  readonly source: ExportSource;
  readonly target: ExportTarget;
  readonly options: ExportOptions;
  readonly columns: string[];
  readonly status: ExportStatus;
  readonly pause_reason: ExportPauseReason | null;
  readonly resumes_at: Date | null;
  readonly failure: ExportFailure | null;
  readonly listing_position: string | null;
  readonly is_listed: boolean;
  readonly rows_total: number;
  readonly rows_delivered: number;
  readonly rows_failed: number;
  readonly rows_gone: number;
  readonly paused_ms: string;
  readonly throttled: number;
  readonly pace: number | null;
  readonly failed_attempts: number;
  readonly runner: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly moved_at: Date;
  readonly ended_at: Date | null;
  readonly deleted_at: Date;
  readonly rows_created: number;
  readonly rows_updated: number;
  readonly rows_skipped: number;
  readonly undo_status: ExportUndoStatus | null;
  readonly undo_failure: ExportUndoFailure | null;
  readonly undo_records: number;
  readonly undo_removed: number;
  readonly undo_failed: number;
  readonly undo_begun_at: Date | null;
  readonly undo_ended_at: Date | null;
}

export function exportOf(row: ExportTableRow): Export {
  return {
    exportNo: row.export_no,
    exportId: row.export_id,
    accountId: row.account_id,
    createdBy: row.created_by,
    requestId: row.request_id,
    name: row.name,
    source: row.source,
    target: row.target,
    options: row.options,
    columns: row.columns,
    status: row.status,
    pauseReason: row.pause_reason,
    resumesAt: row.resumes_at,
    failure: row.failure,
    listingPosition: row.listing_position,
    isListed: row.is_listed,
    rowsTotal: row.rows_total,
    rowsDelivered: row.rows_delivered,
    rowsFailed: row.rows_failed,
    rowsGone: row.rows_gone,
    rowsCreated: row.rows_created,
    rowsUpdated: row.rows_updated,
    rowsSkipped: row.rows_skipped,
    undo: undoOf(row),
    pausedMs: Number(row.paused_ms),
    throttled: row.throttled,
    pace: row.pace,
    failedAttempts: row.failed_attempts,
    runner: row.runner,
    version: row.version,
    createdAt: row.created_at,
    startedAt: row.started_at,
    movedAt: row.moved_at,
    endedAt: row.ended_at,
    deletedAt: row.deleted_at,
  };
}

function undoOf(row: ExportTableRow): ExportUndo | null {
  const { undo_status: status, undo_begun_at: begunAt } = row;
  return status === null || begunAt === null
    ? null
    : {
        status,
        failure: row.undo_failure,
        records: row.undo_records,
        removed: row.undo_removed,
        failed: row.undo_failed,
        begunAt,
        endedAt: row.undo_ended_at,
      };
}

/** The column of each member that may change. */
const changeColumns = {
  status: 'status',
  pauseReason: 'pause_reason',
  resumesAt: 'resumes_at',
  failure: 'failure',
  pausedMs: 'paused_ms',
  throttled: 'throttled',
  pace: 'pace',
  failedAttempts: 'failed_attempts',
  runner: 'runner',
  startedAt: 'started_at',
  movedAt: 'moved_at',
  endedAt: 'ended_at',
} as const satisfies Record<keyof ExportChange, string>;

/**
 * The assignments of a change with its values, whose places begin behind `first` others. `unless` is a condition under
 * which a pause stays as it is.
 */
export function assignmentsOf(
  change: ExportChange,
  first: number,
  unless?: string,
): { readonly assignments: readonly string[]; readonly values: readonly unknown[] } {
  const members = Object.keys(change) as (keyof ExportChange)[];
  return {
    assignments: [
      ...members.map((member, at) => {
        const column = changeColumns[member];
        const value = `$${first + at + 1}`;
        return unless !== undefined && (member === 'pauseReason' || member === 'resumesAt')
          ? `${column} = CASE WHEN ${unless} THEN e.${column} ELSE ${value} END`
          : `${column} = ${value}`;
      }),
      'version = e.version + 1',
    ],
    values: members.map(member => change[member]),
  };
}

/** A row of an export as the driver reads it. */
export interface RowTableRow {
  readonly row_no: number;
  readonly record_key: string;
  readonly state: ExportRowState;
  readonly attempts: number;
  readonly status_code: number | null;
  readonly fault: string | null;
  readonly action: CrmAction | null;
  readonly crm_record_id: string | null;
  readonly undone: 'removed' | 'failed' | null;
  readonly retry_at: Date | null;
  readonly attempted_at: Date | null;
}

export const rowColumns =
  'r.row_no, r.record_key, r.state, r.attempts, r.status_code, r.fault, r.action, r.crm_record_id, r.undone, r.retry_at, r.attempted_at';

export function exportRowOf(row: RowTableRow): ExportRow {
  return {
    rowNo: row.row_no,
    recordKey: row.record_key,
    state: row.state,
    attempts: row.attempts,
    statusCode: row.status_code,
    fault: row.fault,
    action: row.action,
    crmRecordId: row.crm_record_id,
    undone: row.undone,
    retryAt: row.retry_at,
    attemptedAt: row.attempted_at,
  };
}
