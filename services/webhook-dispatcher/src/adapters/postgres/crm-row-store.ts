import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type {
  CreatedRecord,
  CrmRowStore,
  EarlierRow,
  UndoStore,
  UnsettledRow,
} from '../../domain/crm/push/push-ports.ts';
import { createUndoTable, exportOf } from './export-rows.ts';

const ofOwner = (column: string) =>
  `(SELECT r.${column} FROM export_row r WHERE r.export_no = m.export_no AND r.row_no = m.row_no)`;

/** Locks in the order of the marks, so that concurrent workers do not deadlock. */
const take = `
  INSERT INTO export_row_mark AS m (export_no, mark, row_no)
  SELECT DISTINCT ON (a.mark) $1::bigint, a.mark, a.row_no
  FROM unnest($2::text[], $3::int[]) AS a(mark, row_no) ORDER BY a.mark, a.row_no
  ON CONFLICT (export_no, mark) DO UPDATE SET row_no = excluded.row_no
  WHERE ${ofOwner('state')} IN ('failed', 'gone')
    OR (${ofOwner('state')} = 'pending' AND m.row_no > excluded.row_no)`;

/** A delivered earlier row takes precedence; a pending one has to be waited for. */
const ofEarlier = `
  SELECT DISTINCT ON (a.row_no) a.row_no, m.row_no AS earlier_row_no, r.state
  FROM unnest($2::text[], $3::int[]) AS a(mark, row_no)
  JOIN export_row_mark m ON m.export_no = $1 AND m.mark = a.mark AND m.row_no <> a.row_no
  JOIN export_row r ON r.export_no = $1 AND r.row_no = m.row_no
  ORDER BY a.row_no, r.state = 'delivered' DESC, m.row_no`;

const intend = `
  UPDATE export_row r SET action = i.action
  FROM unnest($2::int[], $3::text[]) AS i(row_no, action)
  WHERE r.export_no = $1 AND r.row_no = i.row_no AND r.state = 'pending'`;

const isGoingOn = 'SELECT FROM export WHERE export_no = $1 AND ended_at IS NULL';

const forget = `
  DELETE FROM export_row_mark m USING export e WHERE e.export_id = $1 AND m.export_no = e.export_no`;

interface EarlierTableRow {
  readonly row_no: number;
  readonly earlier_row_no: number;
  readonly state: string;
}

/** The store for the rows of a CRM push, on Postgres. */
export function createCrmRowStore(pool: Pool): CrmRowStore {
  return {
    takeMarks: async (exportNo, rows) => {
      const marked = rows.flatMap(({ rowNo, marks }) => marks.map(mark => ({ rowNo, mark })));
      if (marked.length === 0) {
        return [];
      }
      const values = [exportNo, marked.map(({ mark }) => mark), marked.map(({ rowNo }) => rowNo)];
      return inTransaction(pool, async client => {
        await client.query(take, values);
        const found = await client.query<EarlierTableRow>(ofEarlier, values);
        return found.rows.map(
          ({ row_no, earlier_row_no, state }): EarlierRow => ({
            rowNo: row_no,
            earlierRowNo: earlier_row_no,
            state: state === 'delivered' ? 'delivered' : 'pending',
          }),
        );
      });
    },
    async noteIntents(exportNo, intents) {
      if (intents.length > 0) {
        await pool.query(intend, [
          exportNo,
          intents.map(({ rowNo }) => rowNo),
          intents.map(({ action }) => action),
        ]);
      }
      // Runs after the intents are stored, in a separate statement, so that a change that ends the export after this
      // check sees them.
      const { rowCount } = await pool.query(isGoingOn, [exportNo]);
      return rowCount !== 0;
    },
    async forgetMarks(exportId) {
      await pool.query(forget, [exportId]);
    },
  };
}

const isCreated = "action = 'created' AND crm_record_id IS NOT NULL";
/** The record was about to be created, but the outcome was not recorded. */
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

/** The store for undos, on Postgres. */
export function createUndoStore(pool: Pool): UndoStore {
  const undos = createUndoTable(pool);
  return {
    find: undos.find,
    findOf: undos.findOf,
    enqueue: undos.enqueue,
    sweep: undos.sweep,
    begin: ({ exportNo, exportId }, now) =>
      inTransaction(pool, async client => {
        const [started] = (await client.query(begin, [exportNo, now])).rows;
        if (started) {
          await client.query(again, [exportNo]);
          await undos.enqueue(exportId, { waitMs: 0 }, client);
        }
        return started && exportOf(started);
      }),
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
    async noteFault(exportNo) {
      await pool.query(
        'UPDATE export SET undo_failed_attempts = undo_failed_attempts + 1 WHERE export_no = $1',
        [exportNo],
      );
    },
    async end(exportNo, failure, now) {
      const [ended] = (await pool.query(end, [exportNo, failure, now])).rows;
      return ended && exportOf(ended);
    },
  };
}
