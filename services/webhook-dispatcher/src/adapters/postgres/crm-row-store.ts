import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type { CrmRowStore, EarlierRow } from '../../domain/crm/push/crm-row-store.ts';

const ofOwner = (column: string) =>
  `(SELECT r.${column} FROM export_row r WHERE r.export_no = m.export_no AND r.row_no = m.row_no)`;

/** In the order of the marks, so that two workers that come at the same time wait for each other in one direction. */
const take = `
  INSERT INTO export_row_mark AS m (export_no, mark, row_no)
  SELECT DISTINCT ON (a.mark) $1::bigint, a.mark, a.row_no
  FROM unnest($2::text[], $3::int[]) AS a(mark, row_no) ORDER BY a.mark, a.row_no
  ON CONFLICT (export_no, mark) DO UPDATE SET row_no = excluded.row_no
  WHERE ${ofOwner('state')} IN ('failed', 'gone')
    OR (${ofOwner('state')} = 'pending' AND m.row_no > excluded.row_no)`;

/** One that is delivered decides; one that is pending is waited for. */
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

/** What is written down of the rows of a CRM push, on Postgres. */
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
      // Behind the notes, and by itself: whoever ends the export after this look sees them.
      const { rowCount } = await pool.query(isGoingOn, [exportNo]);
      return rowCount !== 0;
    },
    async forgetMarks(exportId) {
      await pool.query(forget, [exportId]);
    },
  };
}
