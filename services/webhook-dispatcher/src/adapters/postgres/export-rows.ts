import { createWorkTable, recordOf } from '@mailproof/durable-work/postgres';
import { Problem } from '@mailproof/service-kit';
import { type ExportId, nameInEvent, runExportJob, undoExportJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { newEvent } from '../../domain/events/take-events.ts';
import type { Export, ExportChange, ExportUndo } from '../../domain/exports/export.ts';
import type { NewExport } from '../../domain/exports/export-ports.ts';
import { createEventRecorder } from './delivery-store.ts';
import { sql } from './exports.sql.ts';

/** The columns of an export that are stored in another form than in the domain. */
interface StoredOtherwise {
  readonly pausedMs: string;
  readonly undoStatus: ExportUndo['status'] | null;
  readonly undoFailure: ExportUndo['failure'];
  readonly undoRecords: number;
  readonly undoRemoved: number;
  readonly undoFailed: number;
  readonly undoFailedAttempts: number;
  readonly undoBegunAt: Date | null;
  readonly undoEndedAt: Date | null;
}

export function exportOf(row: object): Export {
  const stored = recordOf<Omit<Export, 'pausedMs' | 'undo'> & StoredOtherwise>(row);
  return { ...stored, pausedMs: Number(stored.pausedMs), undo: undoOf(stored) };
}

function undoOf(stored: StoredOtherwise): ExportUndo | null {
  const { undoStatus: status, undoBegunAt: begunAt } = stored;
  return status === null || begunAt === null
    ? null
    : {
        status,
        failure: stored.undoFailure,
        records: stored.undoRecords,
        removed: stored.undoRemoved,
        failed: stored.undoFailed,
        failedAttempts: stored.undoFailedAttempts,
        begunAt,
        endedAt: stored.undoEndedAt,
      };
}

const table = {
  table: 'export',
  name: 'export',
  recordOf: exportOf,
  idOf: ({ exportId }: { readonly exportId: ExportId }) => exportId,
};

/** Exports and their jobs. */
export function createExportTable(pool: Pool) {
  const isActive = "w.status IN ('queued', 'running')";
  const recordEvent = createEventRecorder(pool);
  return createWorkTable<ExportId, Export, ExportChange, NewExport>(pool, {
    ...table,
    jobType: runExportJob,
    isActive,
    // Skips exports that a user has to resume, and exports that resume later, until that time has passed.
    needsJob: `${isActive} AND (w.pause_reason IS NULL OR w.resumes_at < $2)`,
    lock: 36,
    async onCreate(client, { accountId, exportNo, failedRowsOf, rowsTotal }) {
      if (failedRowsOf === null) return;
      const { rowCount } = await sql.copy_failed_rows(client, {
        export_no: Number(exportNo),
        account_id: accountId,
        export_id: failedRowsOf,
      });
      if (rowCount !== rowsTotal) throw new Problem('export_not_found');
    },
    async onChange(client, record, before) {
      if (record.endedAt !== null && before.endedAt === null) {
        await recordEvent(client, finishedEvent(record, record.endedAt), record.endedAt);
      }
    },
  });
}

function finishedEvent(record: Export, endedAt: Date) {
  const data = {
    account_id: record.accountId,
    export_id: record.exportId,
    name: nameInEvent(record.name),
    target: record.target,
    status: record.status,
    failure: record.failure,
    rows: {
      total: record.rowsTotal,
      delivered: record.rowsDelivered,
      failed: record.rowsFailed,
      gone: record.rowsGone,
    },
  };
  return newEvent('export.finished', data, endedAt);
}

/** The same exports, with the jobs that remove what they have created. */
export function createUndoTable(pool: Pool) {
  return createWorkTable<ExportId, Export, ExportChange>(pool, {
    ...table,
    jobType: undoExportJob,
    isActive: "w.undo_status = 'running'",
    movedAt: 'undo_moved_at',
  });
}
