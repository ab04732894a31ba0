import { assignmentsOf, recordOf } from '@mailproof/durable-work/postgres';
import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { destinationFaults, type Export, type ExportRow } from '../../domain/exports/export.ts';
import type { ExportStore } from '../../domain/exports/export-ports.ts';
import { createExportTable, exportOf } from './export-rows.ts';
import { sql } from './exports.sql.ts';

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

function createRowStore(pool: Pool): RowStore {
  return {
    appendKeys: ({ version, ...record }, { keys, open, isLast, rowsMax, state, movedAt }) =>
      inTransaction(pool, async client => {
        const ofExport = { export_no: Number(record.exportNo), rows_max: rowsMax };
        const { rowCount } = await sql.lock_export(client, { ...ofExport, version });
        if (rowCount === 0) {
          return undefined;
        }
        await sql.append_rows(client, { ...ofExport, record_keys: keys, state });
        const { rows } = await sql.note_listed(client, {
          ...ofExport,
          listing_position: keys.at(-1),
          is_last: isLast,
          open,
          is_first: record.listingPosition === null,
          now: movedAt,
        });
        return rows[0] && exportOf(rows[0]);
      }),
    async claimRows(exportNo, { rowsMax, now, claimedUntil }) {
      const { rows } = await sql.claim_rows(pool, {
        export_no: Number(exportNo),
        rows_max: rowsMax,
        now,
        claimed_until: claimedUntil,
      });
      return rows.map(row => recordOf<ExportRow>(row));
    },
    async renewClaims(exportNo, rowNos, claimedUntil) {
      const values = { export_no: Number(exportNo), row_nos: rowNos, claimed_until: claimedUntil };
      await sql.renew_claims(pool, values);
    },
    async nextDueAt(exportNo, now) {
      const { rows } = await sql.next_due_at(pool, { export_no: Number(exportNo), now });
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
      const { rows } = await sql.list_rows(pool, {
        export_no: Number(exportNo),
        after_row_no: afterRowNo,
        state,
        rows_max: limit,
        action,
      });
      return rows.map(row => recordOf<ExportRow>(row));
    },
    async recordGone(exportNo, rowNos) {
      await sql.record_gone(pool, { export_no: Number(exportNo), row_nos: rowNos });
    },
  };
}

/** Makes rows pending again that were refused because of a wrong destination. Undefined if the export is gone. */
export function createRequeueRefused(pool: Pool): (record: Export) => Promise<Export | undefined> {
  return async ({ exportNo }) => {
    const refused = { export_no: Number(exportNo), faults: destinationFaults };
    const { rows } = await sql.requeue_refused(pool, refused);
    return rows[0] && exportOf(rows[0]);
  };
}
