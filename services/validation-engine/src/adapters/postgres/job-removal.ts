import type { AccountId, ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { JobRemoval } from '../../domain/intake/job-removal.ts';

/** How many jobs one query finds. */
const jobsAtOnceMax = 100;

const notActive = "state IN ('ready', 'succeeded', 'failed', 'cancelled')";

export function createJobRemoval(pool: Pool): JobRemoval {
  return {
    async remove(accountId: AccountId, jobId: ValidationJobId) {
      const { rowCount } = await pool.query(
        `UPDATE validation_job SET gone_at = now(), version = version + 1
         WHERE job_id = $1 AND account_id = $2 AND gone_at IS NULL AND ${notActive}`,
        [jobId, accountId],
      );
      return rowCount === 1;
    },
    async removeOld(now) {
      await pool.query(
        `UPDATE validation_job SET gone_at = now(), version = version + 1
         WHERE job_no = ANY(ARRAY(SELECT job_no FROM validation_job
           WHERE deleted_at <= $1 AND gone_at IS NULL AND ${notActive} LIMIT ${jobsAtOnceMax}))`,
        [now],
      );
    },
    async removeGone() {
      const { rows } = await pool.query<{ job_no: string }>(
        `SELECT job_no FROM validation_job WHERE gone_at IS NOT NULL ORDER BY gone_at LIMIT ${jobsAtOnceMax}`,
      );
      for (const { job_no: jobNo } of rows) {
        await deleteJob(pool, jobNo);
      }
      return rows.length;
    },
    async breakOffStill(stillMs) {
      const { rows } = await pool.query<{ job_id: ValidationJobId }>(
        `UPDATE validation_job SET state = 'failed', failure = 'upload_broken_off', charge = 0, spent = 0,
           ended_at = now(), version = version + 1
         WHERE state = 'receiving' AND gone_at IS NULL AND moved_at < now() - make_interval(secs => $1 / 1000.0)
         RETURNING job_id`,
        [stillMs],
      );
      return rows.length;
    },
    async removeBrokenOff() {
      const { rows } = await pool.query<{ job_id: ValidationJobId }>(
        `SELECT job_id FROM validation_job WHERE failure = 'upload_broken_off' AND rows_total > 0
         LIMIT ${jobsAtOnceMax}`,
      );
      for (const { job_id: jobId } of rows) {
        await deleteBrokenOff(pool, jobId);
      }
    },
  };
}

/** How many rows one statement deletes, so that its locks are short. */
const rowsAtOnceMax = 5_000;

/** Deletes a job that is already hidden. */
export async function deleteJob(pool: Pool, jobNo: string): Promise<void> {
  await deleteJobRows(pool, jobNo);
  await pool.query('DELETE FROM validation_job WHERE job_no = $1', [jobNo]);
}

/** Deletes the rows of an interrupted upload; the job's row count stays until they are gone. */
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

/**
 * Locks the job for each batch: the sweep may delete the same rows, and two concurrent deletions would block each
 * other.
 */
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
