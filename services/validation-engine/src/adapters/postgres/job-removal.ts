import type { AccountId, ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { JobRemoval } from '../../domain/intake/job-removal.ts';
import { sql } from './intake.sql.ts';

/** How many jobs one query finds. */
const jobsAtOnceMax = 100;
/** How many rows one statement deletes. */
const rowsAtOnceMax = 5_000;

export function createJobRemoval(pool: Pool): JobRemoval {
  return {
    async remove(accountId: AccountId, jobId: ValidationJobId) {
      const { rowCount } = await sql.hide_job(pool, { job_id: jobId, account_id: accountId });
      return rowCount === 1;
    },
    async removeOld(now) {
      await sql.hide_old_jobs(pool, { now, jobs_max: jobsAtOnceMax });
    },
    async removeGone() {
      const { rows } = await sql.hidden_jobs(pool, { jobs_max: jobsAtOnceMax });
      for (const { job_no: jobNo } of rows) {
        await deleteJob(pool, jobNo);
      }
      return rows.length;
    },
    async breakOffStill(stillMs) {
      const { rows } = await sql.interrupt_still_jobs(pool, { still_ms: stillMs });
      return rows.length;
    },
    async removeBrokenOff() {
      const { rows } = await sql.interrupted_jobs(pool, { jobs_max: jobsAtOnceMax });
      for (const { job_id: jobId } of rows) {
        await deleteBrokenOff(pool, jobId);
      }
    },
  };
}

/** Deletes a job that is already hidden. */
export async function deleteJob(pool: Pool, jobNo: string): Promise<void> {
  await deleteJobRows(pool, jobNo);
  await sql.delete_job(pool, { job_no: jobNo });
}

/** Deletes the rows of an interrupted upload; the job's row count stays until they are gone. */
export async function deleteBrokenOff(pool: Pool, jobId: string): Promise<void> {
  const { rows } = await sql.interrupted_job(pool, { job_id: jobId });
  for (const { job_no: jobNo } of rows) {
    await deleteJobRows(pool, jobNo);
    await sql.forget_counts(pool, { job_no: jobNo });
  }
}

async function deleteJobRows(pool: Pool, jobNo: string): Promise<void> {
  for (const deleteSome of [sql.delete_rows, sql.delete_addresses]) {
    let deleted: number | null;
    do {
      ({ rowCount: deleted } = await deleteSome(pool, { job_no: jobNo, rows_max: rowsAtOnceMax }));
    } while (deleted !== null && deleted > 0);
  }
}
