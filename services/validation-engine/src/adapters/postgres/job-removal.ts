import type { AccountId, ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { JobRemoval } from '../../domain/intake/job-removal.ts';
import { deleteBrokenOff, deleteJob } from './delete-job-rows.ts';

/** Jobs that one look finds. */
const jobsAtOnceMax = 100;

const notUnderWay = "state IN ('ready', 'succeeded', 'failed', 'cancelled')";

export function createJobRemoval(pool: Pool): JobRemoval {
  return {
    async remove(accountId: AccountId, jobId: ValidationJobId) {
      const { rowCount } = await pool.query(
        `UPDATE validation_job SET gone_at = now(), version = version + 1
         WHERE job_id = $1 AND account_id = $2 AND gone_at IS NULL AND ${notUnderWay}`,
        [jobId, accountId],
      );
      return rowCount === 1;
    },
    async removeOld(now) {
      await pool.query(
        `UPDATE validation_job SET gone_at = now(), version = version + 1
         WHERE job_no = ANY(ARRAY(SELECT job_no FROM validation_job
           WHERE deleted_at <= $1 AND gone_at IS NULL AND ${notUnderWay} LIMIT ${jobsAtOnceMax}))`,
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
