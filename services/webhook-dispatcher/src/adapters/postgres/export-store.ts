import { assignmentsOf, recordOf } from '@mailproof/durable-work/postgres';
import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { destinationFaults, type Export, type ExportRow } from '../../domain/exports/export.ts';
import type { ExportStore } from '../../domain/exports/export-ports.ts';
import { createExportTable, exportOf } from './export-rows.ts';

/** The most exports that are deleted at once. */
const deletedMax = 20;

export function createExportStore(pool: Pool): ExportStore {
  const exports = createExportTable(pool);
  return {
    ...exports,
    ...createRowStore(pool),
    async list(accountId, { status, target, cursor, limit }) {
      const page = await exports.page(accountId, { status, target }, { cursor, limit });
      return { exports: page.records, nextCursor: page.nextCursor };
    },
    async delete(accountId, exportId) {
      const condition = 'w.account_id = $1 AND w.export_id = $2';
      const [deleted] = await exports.deleteSome(condition, [accountId, exportId], 1);
      return deleted;
    },
    deleteOfAccount: accountId => exports.deleteSome('w.account_id = $1', [accountId], deletedMax),
    deleteOutdated: now => exports.deleteSome('w.deleted_at <= $1', [now], deletedMax),
  };
}

type RowStore = Pick<
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

/** Claims due rows in order; skips rows that another worker is claiming at the same time. */
const claim = `
  WITH claimed AS (
    SELECT row_no FROM export_row
    WHERE export_no = $1 AND state = 'pending' AND (retry_at IS NULL OR retry_at <= $3)
    ORDER BY row_no LIMIT $2 FOR UPDATE SKIP LOCKED
  ), marked AS (
    UPDATE export_row r SET retry_at = $4 FROM claimed c
    WHERE r.export_no = $1 AND r.row_no = c.row_no RETURNING r.*
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

/** Keeps the pause if a user has paused the export meanwhile or the export has ended. */
const unlessPauseStays = (column: string, value: string) =>
  column === 'pause_reason' || column === 'resumes_at'
    ? `CASE WHEN e.pause_reason = 'asked' OR e.ended_at IS NOT NULL THEN e.${column} ELSE ${value} END`
    : value;

const recordGone = `
  WITH changed AS (
    UPDATE export_row SET state = 'gone'
    WHERE export_no = $1 AND row_no = ANY($2::int[]) AND state = 'delivered' RETURNING 1
  ), counted AS (SELECT count(*)::int AS gone FROM changed)
  UPDATE export e SET rows_delivered = e.rows_delivered - c.gone, rows_gone = e.rows_gone + c.gone,
    version = e.version + 1
  FROM counted c WHERE e.export_no = $1 AND c.gone > 0`;

function createRowStore(pool: Pool): RowStore {
  return {
    appendKeys: (record, { keys, isLast, rowsMax, state, movedAt }) =>
      inTransaction(pool, async client => {
        const { rowCount } = await client.query(lock, [record.exportNo, record.version]);
        if (rowCount === 0) {
          return undefined;
        }
        await client.query(append, [record.exportNo, keys, state, rowsMax]);
        const { rows } = await client.query(noteListed, [
          record.exportNo,
          keys.at(-1) ?? null,
          isLast,
          movedAt,
          rowsMax,
        ]);
        return rows[0] && exportOf(rows[0]);
      }),
    async claimRows(exportNo, { rowsMax, now, claimedUntil }) {
      const { rows } = await pool.query(claim, [exportNo, rowsMax, now, claimedUntil]);
      return rows.map(row => recordOf<ExportRow>(row));
    },
    async renewClaims(exportNo, rowNos, claimedUntil) {
      await pool.query(renew, [exportNo, rowNos, claimedUntil]);
    },
    async nextDueAt(exportNo, now) {
      const { rows } = await pool.query<{ due_at: Date | null }>(firstDue, [exportNo, now]);
      return rows[0]?.due_at ?? undefined;
    },
    async recordRows(exportNo, outcomes, change) {
      const { assignments, values } = assignmentsOf(change, 10, unlessPauseStays);
      const { rows } = await pool.query(
        `${recorded}
         UPDATE export e SET rows_delivered = e.rows_delivered + c.delivered, rows_failed = e.rows_failed + c.failed,
           rows_gone = e.rows_gone + c.gone, rows_created = e.rows_created + c.created,
           rows_updated = e.rows_updated + c.updated, rows_skipped = e.rows_skipped + c.skipped, ${assignments}
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
      const { rows } = await pool.query(
        `SELECT r.* FROM export_row r
         WHERE r.export_no = $1 AND r.row_no > $2 AND ($3::text IS NULL OR r.state = $3)
           AND ($5::text IS NULL OR (r.action = $5 AND r.state = 'delivered'))
         ORDER BY r.row_no LIMIT $4`,
        [exportNo, afterRowNo, state ?? null, limit, action ?? null],
      );
      return rows.map(row => recordOf<ExportRow>(row));
    },
    async recordGone(exportNo, rowNos) {
      await pool.query(recordGone, [exportNo, rowNos]);
    },
  };
}

const requeue = `
  WITH taken AS (
    UPDATE export_row SET state = 'pending', attempts = 0, retry_at = NULL
    WHERE export_no = $1 AND state = 'failed' AND fault = ANY($2) RETURNING 1
  )
  UPDATE export e SET rows_failed = e.rows_failed - (SELECT count(*) FROM taken), version = e.version + 1
  WHERE e.export_no = $1 RETURNING e.*`;

/** Makes rows pending again that were refused because of a wrong destination. Undefined if the export is gone. */
export function createRequeueRefused(pool: Pool): (record: Export) => Promise<Export | undefined> {
  return async ({ exportNo }) => {
    const { rows } = await pool.query(requeue, [exportNo, destinationFaults]);
    return rows[0] && exportOf(rows[0]);
  };
}
