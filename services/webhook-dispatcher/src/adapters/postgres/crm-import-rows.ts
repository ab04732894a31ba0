import type {
  AccountId,
  CrmConnectionId,
  CrmImportFailure,
  CrmImportId,
  CrmImportPauseReason,
  CrmImportState,
  ExportId,
  RequestId,
  UserId,
  ValidationJobId,
} from '@mailproof/shared-types';
import type { CrmImport, ImportChange, ImportRequest } from '../../domain/crm/imports/crm-import.ts';

/** An import as the driver reads it. */
export interface ImportTableRow {
  readonly import_no: string;
  readonly import_id: CrmImportId;
  readonly account_id: AccountId;
  readonly created_by: UserId;
  readonly request_id: RequestId;
  readonly connection_id: CrmConnectionId;
  readonly name: string;
  readonly request: ImportRequest;
  readonly columns: string[];
  readonly state: CrmImportState;
  readonly pause_reason: CrmImportPauseReason | null;
  readonly resumes_at: Date | null;
  readonly failure: CrmImportFailure | null;
  readonly records_total: number;
  readonly records_read: number;
  readonly records_shortened: number;
  readonly job_id: ValidationJobId | null;
  readonly is_in: boolean;
  readonly addresses: number | null;
  readonly cost_max: number | null;
  readonly validated: number;
  readonly export_id: ExportId | null;
  readonly rows_to_write: number;
  readonly rows_written: number;
  readonly looks: number;
  readonly is_stopping: boolean;
  readonly failed_attempts: number;
  readonly runner: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly moved_at: Date;
  readonly ended_at: Date | null;
  readonly deleted_at: Date;
}

export function importOf(row: ImportTableRow): CrmImport {
  return {
    importNo: row.import_no,
    importId: row.import_id,
    accountId: row.account_id,
    createdBy: row.created_by,
    requestId: row.request_id,
    connectionId: row.connection_id,
    name: row.name,
    request: row.request,
    columns: row.columns,
    state: row.state,
    pauseReason: row.pause_reason,
    resumesAt: row.resumes_at,
    failure: row.failure,
    recordsTotal: row.records_total,
    recordsRead: row.records_read,
    recordsShortened: row.records_shortened,
    jobId: row.job_id,
    isIn: row.is_in,
    addresses: row.addresses,
    costMax: row.cost_max,
    validated: row.validated,
    exportId: row.export_id,
    rowsToWrite: row.rows_to_write,
    rowsWritten: row.rows_written,
    looks: row.looks,
    isStopping: row.is_stopping,
    failedAttempts: row.failed_attempts,
    runner: row.runner,
    version: row.version,
    createdAt: row.created_at,
    movedAt: row.moved_at,
    endedAt: row.ended_at,
    deletedAt: row.deleted_at,
  };
}

/** The column of each member that may change. */
const changeColumns = {
  state: 'state',
  pauseReason: 'pause_reason',
  resumesAt: 'resumes_at',
  failure: 'failure',
  recordsTotal: 'records_total',
  recordsRead: 'records_read',
  recordsShortened: 'records_shortened',
  jobId: 'job_id',
  isIn: 'is_in',
  addresses: 'addresses',
  costMax: 'cost_max',
  validated: 'validated',
  exportId: 'export_id',
  rowsToWrite: 'rows_to_write',
  rowsWritten: 'rows_written',
  looks: 'looks',
  isStopping: 'is_stopping',
  failedAttempts: 'failed_attempts',
  runner: 'runner',
  movedAt: 'moved_at',
  endedAt: 'ended_at',
} as const satisfies Record<keyof ImportChange, string>;

/** The assignments of a change with its values, whose places begin behind `first` others. */
export function importAssignments(
  change: ImportChange,
  first: number,
): { readonly assignments: string; readonly values: readonly unknown[] } {
  const members = Object.keys(change) as (keyof ImportChange)[];
  const each = members.map((member, at) => `${changeColumns[member]} = $${first + at + 1}`);
  return {
    assignments: [...each, 'version = i.version + 1'].join(', '),
    values: members.map(member => change[member]),
  };
}
