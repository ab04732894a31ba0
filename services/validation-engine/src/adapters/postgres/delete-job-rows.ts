import type { ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';

/** Rows that one statement deletes, so that nobody waits long for a lock. */
const rowsAtOnceMax = 5_000;

/** Deletes a job that nobody sees any more. */
export async function deleteJob(pool: Pool, jobNo: string): Promise<void> {
  await deleteJobRows(pool, jobNo);
  await pool.query('DELETE FROM validation_job WHERE job_no = $1', [jobNo]);
}

/** Deletes the rows of an upload that broke off; they are counted until they are gone. */
export async function deleteBrokenOff(pool: Pool, jobId: ValidationJobId): Promise<void> {
  const { rows } = await pool.query<{ job_no: string }>(
    `SELECT job_no FROM validation_job WHERE job_id = $1 AND failure = 'upload_broken_off' AND rows_total > 0`,
    [jobId],
  );
  for (const { job_no: jobNo } of rows) {
    await deleteJobRows(pool, jobNo);
    await pool.query(
      `UPDATE validation_job SET rows_total = 0, rows_valid = 0, rows_broken = 0, rows_blank = 0, rows_duplicate = 0,
         version = version + 1 WHERE job_no = $1`,
      [jobNo],
    );
  }
}

/** Locks the job for each portion: the sweep may delete the same rows, and two that delete them block each other. */
async function deleteJobRows(pool: Pool, jobNo: string): Promise<void> {
  for (const table of ['validation_job_row', 'validation_job_address']) {
    let deleted: number | null;
    do {
      ({ rowCount: deleted } = await pool.query(
        `WITH job AS MATERIALIZED (SELECT job_no FROM validation_job WHERE job_no = $1 FOR UPDATE)
         DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT rows.ctid FROM job JOIN ${table} AS rows USING (job_no) LIMIT ${rowsAtOnceMax}))`,
        [jobNo],
      ));
    } while (deleted !== null && deleted > 0);
  }
}
