import { createWorkTable, recordOf } from '@mailproof/durable-work/postgres';
import { runValidationJobJob, type ValidationJobId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { JobRun, JobRunChange } from '../../../domain/job-runs/job-run.ts';
import type { JobRunStore } from '../../../domain/job-runs/job-run-store.ts';
import { sql } from './job-runs.sql.ts';

/** The transaction of a job's change. */
export type Transaction = PoolClient;

const select = `
  SELECT w.job_id AS run_id, w.job_no, w.account_id, w.created_by, w.request_id, w.state, w.addresses, w.price, w.holds,
    w.hold_amount, w.hold_id, w.hold_expires_at, w.ending, w.charge, w.spent, w.failure, w.failed_attempts, w.chunks,
    w.carrier, w.version, w.started_at, w.paused_at, w.moved_at
  FROM validation_job w`;

function jobRunOf(row: object): JobRun {
  const stored = recordOf<Omit<JobRun, 'creditsMax'>>(row);
  return { ...stored, creditsMax: stored.addresses * stored.price };
}

/** Stores jobs as runs, with their queued work. */
export function createJobRunStore(pool: Pool) {
  const jobs = createWorkTable<ValidationJobId, JobRun, JobRunChange>(pool, {
    table: 'validation_job',
    name: 'job',
    jobType: runValidationJobJob,
    idOf: ({ runId }) => runId,
    select,
    recordOf: jobRunOf,
    isActive: "w.state IN ('queued', 'running', 'paused')",
  });
  return {
    ...jobs,
    async find(jobId) {
      const [run] = await jobs.select('w.job_id = $1 AND w.gone_at IS NULL', [jobId]);
      return run;
    },
    async take(jobId, carrier) {
      const { rowCount } = await sql.take_job(pool, { job_id: jobId, carrier });
      return rowCount === 1;
    },
  } satisfies JobRunStore<Transaction>;
}
