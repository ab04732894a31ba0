import type { Pool } from 'pg';
import { destinationFaults } from '../../domain/exports/destination-faults.ts';
import type { Export } from '../../domain/exports/export.ts';
import { type ExportTableRow, exportOf } from './export-rows.ts';

const takeBack = `
  WITH taken AS (
    UPDATE export_row SET state = 'pending', attempts = 0, retry_at = NULL
    WHERE export_no = $1 AND state = 'failed' AND fault = ANY($2) RETURNING 1
  )
  UPDATE export e SET rows_failed = e.rows_failed - (SELECT count(*) FROM taken), version = e.version + 1
  WHERE e.export_no = $1 RETURNING e.*`;

/** Makes rows pending again that were refused because their destination was wrong. Undefined when the export is gone. */
export function createTakeBackRefused(pool: Pool): (record: Export) => Promise<Export | undefined> {
  return async ({ exportNo }) => {
    const { rows } = await pool.query<ExportTableRow>(takeBack, [exportNo, destinationFaults]);
    return rows[0] && exportOf(rows[0]);
  };
}
