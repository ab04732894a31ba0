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
import { sql } from './pushes.sql.ts';

/** The store for the rows of a CRM push, on Postgres. */
export function createCrmRowStore(pool: Pool): CrmRowStore {
  return {
    takeMarks: async (exportNo, rows) => {
      const marked = rows.flatMap(({ rowNo, marks }) => marks.map(mark => ({ rowNo, mark })));
      if (marked.length === 0) {
        return [];
      }
      const values = {
        export_no: Number(exportNo),
        marks: marked.map(({ mark }) => mark),
        row_nos: marked.map(({ rowNo }) => rowNo),
      };
      return inTransaction(pool, async client => {
        await sql.take_marks(client, values);
        const found = await sql.find_earlier_rows(client, values);
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
        await sql.note_intents(pool, {
          export_no: Number(exportNo),
          row_nos: intents.map(({ rowNo }) => rowNo),
          actions: intents.map(({ action }) => action),
        });
      }
      // Runs after the intents are stored, in a separate statement, so that a change that ends the export after this
      // check sees them.
      const { rowCount } = await sql.find_running_export(pool, { export_no: Number(exportNo) });
      return rowCount !== 0;
    },
    async forgetMarks(exportId) {
      await sql.forget_marks(pool, { export_id: exportId });
    },
  };
}

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
        const [started] = (await sql.begin_undo(client, { export_no: Number(exportNo), now })).rows;
        if (started) {
          await sql.retry_failed_undos(client, { export_no: Number(exportNo) });
          await undos.enqueue(exportId, { waitMs: 0 }, client);
        }
        return started && exportOf(started);
      }),
    async next(exportNo, recordsMax) {
      const some = { export_no: Number(exportNo), rows_max: recordsMax };
      const { rows } = await sql.next_created_records(pool, some);
      return rows.map((row): CreatedRecord => ({ rowNo: row.row_no, recordId: row.crm_record_id }));
    },
    async unsettled(exportNo, rowsMax) {
      const some = { export_no: Number(exportNo), rows_max: rowsMax };
      const { rows } = await sql.list_unsettled_rows(pool, some);
      return rows.map((row): UnsettledRow => ({ rowNo: row.row_no, recordKey: row.record_key }));
    },
    async settle(exportNo, found, now) {
      await sql.settle_rows(pool, {
        export_no: Number(exportNo),
        row_nos: found.map(({ rowNo }) => rowNo),
        record_ids: found.map(({ recordId }) => recordId),
        now,
      });
    },
    async record(exportNo, outcomes, now) {
      await sql.record_undone(pool, {
        export_no: Number(exportNo),
        row_nos: outcomes.map(({ rowNo }) => rowNo),
        undone: outcomes.map(({ undone }) => undone),
        faults: outcomes.map(({ fault }) => fault),
        now,
      });
    },
    async noteFault(exportNo) {
      await sql.note_undo_fault(pool, { export_no: Number(exportNo) });
    },
    async end(exportNo, failure, now) {
      const [ended] = (await sql.end_undo(pool, { export_no: Number(exportNo), failure, now })).rows;
      return ended && exportOf(ended);
    },
  };
}
