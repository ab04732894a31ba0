import {
  deliveryFaultText,
  type ExportRecord,
  exportFailures,
  exportPauseReasons,
  type exportRow,
  exportUndoFailures,
} from '@mailproof/shared-types';
import type { z } from 'zod';
import { type Export, type ExportRow, hasEnded, rowsLeft } from '../domain/exports/export.ts';

/** An export as people see it. */
export function exportAnswer(record: Export): ExportRecord {
  const { pauseReason, failure } = record;
  return {
    export_id: record.exportId,
    name: record.name,
    source: record.source,
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

/** A row of an export as people see it. */
export function exportRowAnswer(row: ExportRow): z.output<typeof exportRow> {
  return {
    row: row.rowNo,
    state: row.state,
    attempts: row.attempts,
    status_code: row.statusCode,
    fault: row.fault === null ? null : deliveryFaultText(row.fault),
    // A pending row has written down what it is going to do, which is not done yet.
    action: row.state === 'delivered' ? row.action : null,
    crm_record_id: row.crmRecordId,
    undone: row.undone,
    // While a row is under way the store has a moment there that means nothing to people.
    retry_at: row.state === 'pending' && row.attempts > 0 ? (row.retryAt?.toISOString() ?? null) : null,
    attempted_at: row.attemptedAt?.toISOString() ?? null,
  };
}

/** From the first row to the last that something became of, without the time for which the receiver made us wait. */
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
