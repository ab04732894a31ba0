import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type { ExportStore } from '../../domain/exports/export-store.ts';
import {
  assignmentsOf,
  type ExportTableRow,
  exportOf,
  exportRowOf,
  type RowTableRow,
  rowColumns,
} from './export-rows.ts';

export type RowStore = Pick<
  ExportStore,
  'appendKeys' | 'claimRows' | 'renewClaims' | 'nextDueAt' | 'recordRows' | 'listRows' | 'recordGone'
>;

const lock = 'SELECT 1 FROM export WHERE export_no = $1 AND version = $2 FOR UPDATE';

const append = `
  INSERT INTO export_row (export_no, row_no, record_key, state)
  SELECT $1, n.last_no + k.at, k.record_key, $3
  FROM (SELECT coalesce(max(row_no), 0) AS last_no FROM export_row WHERE export_no = $1) n,
    unnest($2::text[]) WITH ORDINALITY AS k(record_key, at)
  WHERE n.last_no + k.at <= $4`;

const noteListed = `
  UPDATE export e SET status = 'running', started_at = coalesce(e.started_at, $4), moved_at = $4,
    listing_position = coalesce($2, e.listing_position), is_listed = $3 OR n.rows >= $5,
    rows_total = CASE WHEN $3 OR n.rows >= $5 THEN n.rows ELSE greatest(e.rows_total, n.rows) END,
    rows_delivered = n.delivered, failed_attempts = 0, version = e.version + 1
  FROM (
    SELECT count(*)::int AS rows, (count(*) FILTER (WHERE state = 'delivered'))::int AS delivered
    FROM export_row WHERE export_no = $1
  ) n
  WHERE e.export_no = $1 RETURNING e.*`;

/** Rows that are due, in order; whoever comes second skips those that are being claimed at this moment. */
const claim = `
  WITH claimed AS (
    SELECT row_no FROM export_row
    WHERE export_no = $1 AND state = 'pending' AND (retry_at IS NULL OR retry_at <= $3)
    ORDER BY row_no LIMIT $2 FOR UPDATE SKIP LOCKED
  ), marked AS (
    UPDATE export_row r SET retry_at = $4 FROM claimed c
    WHERE r.export_no = $1 AND r.row_no = c.row_no RETURNING ${rowColumns}
  )
  SELECT * FROM marked ORDER BY row_no`;

const renew = `
  UPDATE export_row SET retry_at = $3 WHERE export_no = $1 AND row_no = ANY($2::int[]) AND state = 'pending'`;

const firstDue = `
  SELECT min(coalesce(retry_at, $2)) AS due_at FROM export_row WHERE export_no = $1 AND state = 'pending'`;

const recorded = `
  WITH outcome AS (
    SELECT * FROM unnest($2::int[], $3::text[], $4::int[], $5::int[], $6::text[], $7::timestamptz[],
      $8::timestamptz[], $9::text[], $10::text[])
      AS o(row_no, state, attempts, status_code, fault, retry_at, attempted_at, action, crm_record_id)
  ), changed AS (
    UPDATE export_row r SET state = o.state, attempts = o.attempts, retry_at = o.retry_at,
      status_code = CASE WHEN o.attempted_at IS NULL THEN r.status_code ELSE o.status_code END,
      fault = CASE WHEN o.attempted_at IS NULL AND o.fault IS NULL AND o.action IS NULL THEN r.fault ELSE o.fault END,
      -- What a row was going to do stays until it is known what became of it; undoing looks for it then.
      action = CASE WHEN o.state IN ('pending', 'gone') OR o.fault = 'crm_away' THEN r.action ELSE o.action END,
      crm_record_id = CASE WHEN o.state = 'pending' THEN r.crm_record_id ELSE o.crm_record_id END,
      attempted_at = coalesce(o.attempted_at, r.attempted_at)
    FROM outcome o
    WHERE r.export_no = $1 AND r.row_no = o.row_no AND r.state = 'pending' AND o.attempts >= r.attempts
    RETURNING r.state, r.action
  ), counted AS (
    SELECT (count(*) FILTER (WHERE state = 'delivered'))::int AS delivered,
      (count(*) FILTER (WHERE state = 'failed'))::int AS failed,
      (count(*) FILTER (WHERE state = 'gone'))::int AS gone,
      (count(*) FILTER (WHERE state = 'delivered' AND action = 'created'))::int AS created,
      (count(*) FILTER (WHERE state = 'delivered' AND action = 'updated'))::int AS updated,
      (count(*) FILTER (WHERE state = 'delivered' AND action = 'skipped'))::int AS skipped
    FROM changed
  )`;

/** What somebody has paused or ended meanwhile goes on by nobody else's word. */
const pauseStays = "e.pause_reason = 'asked' OR e.ended_at IS NOT NULL";

const recordGone = `
  WITH changed AS (
    UPDATE export_row SET state = 'gone'
    WHERE export_no = $1 AND row_no = ANY($2::int[]) AND state = 'delivered' RETURNING 1
  ), counted AS (SELECT count(*)::int AS gone FROM changed)
  UPDATE export e SET rows_delivered = e.rows_delivered - c.gone, rows_gone = e.rows_gone + c.gone,
    version = e.version + 1
  FROM counted c WHERE e.export_no = $1 AND c.gone > 0`;

export function createRowStore(pool: Pool): RowStore {
  return {
    appendKeys: (record, { keys, isLast, rowsMax, state, movedAt }) =>
      inTransaction(pool, async client => {
        const { rowCount } = await client.query(lock, [record.exportNo, record.version]);
        if (rowCount === 0) {
          return undefined;
        }
        await client.query(append, [record.exportNo, keys, state, rowsMax]);
        const { rows } = await client.query<ExportTableRow>(noteListed, [
          record.exportNo,
          keys.at(-1) ?? null,
          isLast,
          movedAt,
          rowsMax,
        ]);
        return rows[0] && exportOf(rows[0]);
      }),
    async claimRows(exportNo, { rowsMax, now, claimedUntil }) {
      const { rows } = await pool.query<RowTableRow>(claim, [exportNo, rowsMax, now, claimedUntil]);
      return rows.map(exportRowOf);
    },
    async renewClaims(exportNo, rowNos, claimedUntil) {
      await pool.query(renew, [exportNo, rowNos, claimedUntil]);
    },
    async nextDueAt(exportNo, now) {
      const { rows } = await pool.query<{ due_at: Date | null }>(firstDue, [exportNo, now]);
      return rows[0]?.due_at ?? undefined;
    },
    async recordRows(exportNo, outcomes, change) {
      const { assignments, values } = assignmentsOf(change, 10, pauseStays);
      const { rows } = await pool.query<ExportTableRow>(
        `${recorded}
         UPDATE export e SET rows_delivered = e.rows_delivered + c.delivered, rows_failed = e.rows_failed + c.failed,
           rows_gone = e.rows_gone + c.gone, rows_created = e.rows_created + c.created,
           rows_updated = e.rows_updated + c.updated, rows_skipped = e.rows_skipped + c.skipped, ${assignments.join(', ')}
         FROM counted c WHERE e.export_no = $1 RETURNING e.*`,
        [
          exportNo,
          outcomes.map(each => each.rowNo),
          outcomes.map(each => each.state),
          outcomes.map(each => each.attempts),
          outcomes.map(each => each.statusCode),
          outcomes.map(each => each.fault),
          outcomes.map(each => each.retryAt),
          outcomes.map(each => each.attemptedAt),
          outcomes.map(each => each.action ?? null),
          outcomes.map(each => each.crmRecordId ?? null),
          ...values,
        ],
      );
      return rows[0] && exportOf(rows[0]);
    },
    async listRows(exportNo, { state, action, afterRowNo, limit }) {
      const { rows } = await pool.query<RowTableRow>(
        `SELECT ${rowColumns} FROM export_row r
         WHERE r.export_no = $1 AND r.row_no > $2 AND ($3::text IS NULL OR r.state = $3)
           AND ($5::text IS NULL OR (r.action = $5 AND r.state = 'delivered'))
         ORDER BY r.row_no LIMIT $4`,
        [exportNo, afterRowNo, state ?? null, limit, action ?? null],
      );
      return rows.map(exportRowOf);
    },
    async recordGone(exportNo, rowNos) {
      await pool.query(recordGone, [exportNo, rowNos]);
    },
  };
}
