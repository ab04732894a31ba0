import { inTransaction } from '@mailproof/service-kit';
import { undoExportJob } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { CreatedRecord, UndoStore, UnsettledRow } from '../../domain/crm/push/undo-store.ts';
import type { Export } from '../../domain/exports/export.ts';
import { enqueueExportJob } from './enqueue-job.ts';
import { type ExportTableRow, exportOf } from './export-rows.ts';

/** Undone records of one round of the sweep. */
const sweptMax = 100;

const isCreated = "action = 'created' AND crm_record_id IS NOT NULL";
/** It was going to be created, and nobody has written down what came of it. */
const isUnsettled = "action = 'created' AND crm_record_id IS NULL AND undone IS NULL";

const begin = `
  UPDATE export e SET undo_status = 'running', undo_failure = NULL, undo_records = c.records, undo_removed = c.removed,
    undo_failed = 0, undo_failed_attempts = 0, undo_begun_at = $2, undo_moved_at = $2, undo_ended_at = NULL,
    version = e.version + 1
  FROM (
    SELECT (count(*) FILTER (WHERE ${isCreated}))::int AS records,
      (count(*) FILTER (WHERE undone = 'removed'))::int AS removed,
      count(*) FILTER (WHERE undone = 'failed' OR (${isUnsettled})) AS others
    FROM export_row WHERE export_no = $1 AND action = 'created'
  ) c
  WHERE e.export_no = $1 AND e.ended_at IS NOT NULL AND e.undo_status IS DISTINCT FROM 'running'
    AND (e.undo_status IS NULL OR c.records > c.removed OR c.others > 0)
  RETURNING e.*`;

const again = `
  UPDATE export_row SET undone = NULL, fault = NULL WHERE export_no = $1 AND undone = 'failed'`;

const settle = `
  WITH found AS (SELECT * FROM unnest($2::int[], $3::text[]) AS f(row_no, record_id)), settled AS (
    UPDATE export_row r SET crm_record_id = f.record_id, action = CASE WHEN f.record_id IS NULL THEN NULL ELSE r.action END
    FROM found f WHERE r.export_no = $1 AND r.row_no = f.row_no AND ${isUnsettled} RETURNING r.crm_record_id
  )
  UPDATE export e SET undo_moved_at = $4, version = e.version + 1,
    undo_records = e.undo_records + (SELECT count(*) FROM settled WHERE crm_record_id IS NOT NULL)
  WHERE e.export_no = $1`;

const record = `
  WITH outcome AS (
    SELECT * FROM unnest($2::int[], $3::text[], $4::text[]) AS o(row_no, undone, fault)
  ), changed AS (
    UPDATE export_row r SET undone = o.undone, fault = coalesce(o.fault, r.fault) FROM outcome o
    WHERE r.export_no = $1 AND r.row_no = o.row_no AND r.undone IS NULL RETURNING r.undone
  ), counted AS (
    SELECT (count(*) FILTER (WHERE undone = 'removed'))::int AS removed,
      (count(*) FILTER (WHERE undone = 'failed'))::int AS failed
    FROM changed
  )
  UPDATE export e SET undo_removed = e.undo_removed + c.removed, undo_failed = e.undo_failed + c.failed,
    undo_records = greatest(e.undo_records, e.undo_removed + c.removed + e.undo_failed + c.failed),
    undo_failed_attempts = 0, undo_moved_at = $5, version = e.version + 1
  FROM counted c WHERE e.export_no = $1`;

const end = `
  UPDATE export e SET undo_status = CASE WHEN $2::text IS NULL THEN 'succeeded' ELSE 'failed' END, undo_failure = $2,
    undo_ended_at = $3, undo_moved_at = $3, version = e.version + 1
  WHERE e.export_no = $1 AND e.undo_status = 'running' RETURNING e.*`;

const sweep = `
  INSERT INTO outbox (job_type, payload, trace_parent)
  SELECT $1, jsonb_build_object('exportId', e.export_id), e.trace_parent FROM export e
  WHERE e.undo_status = 'running' AND e.undo_moved_at < $2 AND NOT EXISTS (
    SELECT 1 FROM outbox
    WHERE done_at IS NULL AND failed_at IS NULL AND job_type = $1 AND payload->>'exportId' = e.export_id)
  ORDER BY e.undo_moved_at LIMIT ${sweptMax}`;

/** How far taking records away is, on Postgres. */
export function createUndoStore(pool: Pool): UndoStore {
  const first = async (
    client: Pool | PoolClient,
    text: string,
    values: readonly unknown[],
  ): Promise<Export | undefined> => {
    const { rows } = await client.query<ExportTableRow>(text, [...values]);
    return rows[0] && exportOf(rows[0]);
  };
  return {
    begin: ({ exportNo, exportId }, now) =>
      inTransaction(pool, async client => {
        const begun = await first(client, begin, [exportNo, now]);
        if (begun) {
          await client.query(again, [exportNo]);
          await client.query(enqueueExportJob, [undoExportJob.name, exportId, 0]);
        }
        return begun;
      }),
    find: exportId => first(pool, 'SELECT e.* FROM export e WHERE e.export_id = $1', [exportId]),
    findOf: (accountId, exportId) =>
      first(pool, 'SELECT e.* FROM export e WHERE e.export_id = $1 AND e.account_id = $2', [
        exportId,
        accountId,
      ]),
    async next(exportNo, recordsMax) {
      const { rows } = await pool.query<{ row_no: number; crm_record_id: string }>(
        `SELECT row_no, crm_record_id FROM export_row
         WHERE export_no = $1 AND ${isCreated} AND undone IS NULL ORDER BY row_no LIMIT $2`,
        [exportNo, recordsMax],
      );
      return rows.map((row): CreatedRecord => ({ rowNo: row.row_no, recordId: row.crm_record_id }));
    },
    async unsettled(exportNo, rowsMax) {
      const { rows } = await pool.query<{ row_no: number; record_key: string }>(
        `SELECT row_no, record_key FROM export_row WHERE export_no = $1 AND ${isUnsettled} ORDER BY row_no LIMIT $2`,
        [exportNo, rowsMax],
      );
      return rows.map((row): UnsettledRow => ({ rowNo: row.row_no, recordKey: row.record_key }));
    },
    async settle(exportNo, found, now) {
      const rowNos = found.map(({ rowNo }) => rowNo);
      await pool.query(settle, [exportNo, rowNos, found.map(({ recordId }) => recordId), now]);
    },
    async record(exportNo, outcomes, now) {
      await pool.query(record, [
        exportNo,
        outcomes.map(({ rowNo }) => rowNo),
        outcomes.map(({ undone }) => undone),
        outcomes.map(({ fault }) => fault),
        now,
      ]);
    },
    async wait(exportId, waitMs) {
      await pool.query(enqueueExportJob, [undoExportJob.name, exportId, waitMs]);
    },
    async noteFault(exportNo, attemptsMax) {
      const { rows } = await pool.query<{ is_too_much: boolean }>(
        `UPDATE export SET undo_failed_attempts = undo_failed_attempts + 1 WHERE export_no = $1
         RETURNING undo_failed_attempts >= $2 AS is_too_much`,
        [exportNo, attemptsMax],
      );
      return rows[0]?.is_too_much === true;
    },
    end: (exportNo, failure, now) => first(pool, end, [exportNo, failure, now]),
    async sweep(stillSince) {
      const { rowCount } = await pool.query(sweep, [undoExportJob.name, stillSince]);
      return rowCount ?? 0;
    },
  };
}
