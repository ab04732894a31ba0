import { Problem } from '@mailproof/service-kit';
import {
  type AccountId,
  deliveryFaultText,
  type ExportId,
  type ExportRecord,
  exportFailures,
  exportPauseReasons,
  type exportRow,
  exportUndoFailures,
} from '@mailproof/shared-types';
import type { z } from 'zod';
import { type Export, type ExportRow, hasEnded, rowsLeft } from '../domain/exports/export.ts';
import type { ExportStore } from '../domain/exports/export-ports.ts';
import type { RowLabel } from '../domain/exports/row-sources.ts';

/** The account's export, or the problem `export_not_found`. */
export async function findExport(
  { findOf }: Pick<ExportStore, 'findOf'>,
  { accountId, export_id: exportId }: { readonly accountId: AccountId; readonly export_id: ExportId },
): Promise<Export> {
  const record = await findOf(accountId, exportId);
  if (!record) {
    throw new Problem('export_not_found');
  }
  return record;
}

/** An export as the API returns it. */
export function exportAnswer(record: Export): ExportRecord {
  const { pauseReason, failure } = record;
  return {
    export_id: record.exportId,
    name: record.name,
    source: record.source,
    failed_rows_of: record.failedRowsOf,
    target: record.target,
    status: record.status,
    pause:
      pauseReason === null || hasEnded(record)
        ? null
        : {
            reason: pauseReason,
            detail: exportPauseReasons[pauseReason],
            resumes_at: record.resumesAt?.toISOString() ?? null,
          },
    failure: failure === null ? null : { reason: failure, detail: exportFailures[failure] },
    columns: [...record.columns],
    rows: {
      total: record.rowsTotal,
      delivered: record.rowsDelivered,
      failed: record.rowsFailed,
      gone: record.rowsGone,
      open: record.rowsOpen,
    },
    actions:
      record.target === 'crm'
        ? { created: record.rowsCreated, updated: record.rowsUpdated, skipped: record.rowsSkipped }
        : null,
    undo: undoOf(record),
    ...paceOf(record),
    throttled: record.throttled,
    options: record.options,
    created_by: record.createdBy,
    created_at: record.createdAt.toISOString(),
    started_at: record.startedAt?.toISOString() ?? null,
    ended_at: record.endedAt?.toISOString() ?? null,
    deleted_at: record.deletedAt.toISOString(),
    version: record.version,
  };
}

function undoOf({ undo }: Export): ExportRecord['undo'] {
  return (
    undo && {
      status: undo.status,
      records: { total: undo.records, removed: undo.removed, failed: undo.failed },
      failure: undo.failure && { reason: undo.failure, detail: exportUndoFailures[undo.failure] },
      begun_at: undo.begunAt.toISOString(),
      ended_at: undo.endedAt?.toISOString() ?? null,
    }
  );
}

/** A row of an export as the API returns it; its label is missing if its source does not tell it. */
export function exportRowAnswer(row: ExportRow, label: RowLabel | undefined): z.output<typeof exportRow> {
  return {
    row: row.rowNo,
    source_row: label?.number ?? null,
    source_name: label?.name ?? null,
    state: row.state,
    attempts: row.attempts,
    status_code: row.statusCode,
    fault: row.fault === null ? null : deliveryFaultText(row.fault),
    // A pending row has its intent stored here, which is not done yet.
    action: row.state === 'delivered' ? row.action : null,
    crm_record_id: row.crmRecordId,
    undone: row.undone,
    // While a row is in flight, the store has the end of its claim here, which means nothing to users.
    retry_at: row.state === 'pending' && row.attempts > 0 ? (row.retryAt?.toISOString() ?? null) : null,
    attempted_at: row.attemptedAt?.toISOString() ?? null,
  };
}

/** The pace from the start to the last finished row, without the time for which the receiver made us wait. */
function paceOf(record: Export): Pick<ExportRecord, 'progress' | 'per_second' | 'seconds_left'> {
  const left = rowsLeft(record);
  const done = record.rowsTotal - left;
  const ended = hasEnded(record);
  const progress =
    ended && record.failure === null ? 1 : record.rowsTotal === 0 ? 0 : done / record.rowsTotal;
  const ms =
    record.startedAt === null ? 0 : record.movedAt.getTime() - record.startedAt.getTime() - record.pausedMs;
  const perSecond = record.target !== 'csv' && ms > 0 ? Math.round((done / ms) * 10_000) / 10 : null;
  return {
    progress: Math.min(1, progress),
    per_second: perSecond,
    seconds_left: ended || perSecond === null || perSecond === 0 ? null : Math.ceil(left / perSecond),
  };
}
