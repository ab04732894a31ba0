import { inTransaction } from '@mailproof/service-kit';
import { runValidationJobJob, type ValidationJobId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { JobRun, JobRunChange } from '../../../domain/job-runs/job-run.ts';
import type { JobRunStore } from '../../../domain/job-runs/job-run-store.ts';
import { changeColumns, type JobRunRow, jobRunOf, selectJobRuns, underWay } from './job-run-rows.ts';

/** What happens in one transaction with a change of a job. */
export type Transaction = PoolClient;

export interface PostgresJobRunStore extends JobRunStore<Transaction> {
  /** Puts work into the outbox for jobs that have none there and have not moved for so long; answers how many. */
  sweep(stillMs: number): Promise<number>;
}

const sweptMax = 100;

/**
 * Gives a job ($2) work after a time ($3, in milliseconds), counted by the clock of Postgres, with which the relay compares
 * it. What waits for longer has become needless; what is due already may be somebody else's, and stays. All work on a job
 * belongs to the trace of its start.
 */
export const enqueueJob = `
  WITH replaced AS (
    DELETE FROM outbox
    WHERE job_type = $1 AND payload->>'jobId' = $2 AND enqueued_at IS NULL AND done_at IS NULL AND failed_at IS NULL
      AND due_at > now() + make_interval(secs => $3::double precision / 1000))
  INSERT INTO outbox (job_type, payload, due_at, trace_parent)
  VALUES ($1, jsonb_build_object('jobId', $2::text), now() + make_interval(secs => $3::double precision / 1000),
    (SELECT trace_parent FROM validation_job WHERE job_id = $2))`;

const sweep = `
  INSERT INTO outbox (job_type, payload, trace_parent)
  SELECT $1, jsonb_build_object('jobId', j.job_id), j.trace_parent FROM validation_job j
  WHERE ${underWay} AND j.moved_at < now() - make_interval(secs => $2 / 1000.0) AND NOT EXISTS (
    SELECT 1 FROM outbox
    WHERE done_at IS NULL AND failed_at IS NULL AND job_type = $1 AND payload->>'jobId' = j.job_id)
  ORDER BY j.created_at LIMIT ${sweptMax}`;

export function createJobRunStore(pool: Pool): PostgresJobRunStore {
  const find = async (jobId: ValidationJobId) => {
    const { rows } = await pool.query<JobRunRow>(`${selectJobRuns} WHERE job_id = $1 AND gone_at IS NULL`, [
      jobId,
    ]);
    return rows[0] && jobRunOf(rows[0]);
  };
  const changeWith: PostgresJobRunStore['changeWith'] = (run, work) =>
    inTransaction(pool, async client => {
      const { rows } = await client.query(
        'SELECT 1 FROM validation_job WHERE job_id = $1 AND version = $2 FOR UPDATE',
        [run.runId, run.version],
      );
      if (rows.length === 0) {
        return false;
      }
      await write(client, run, await work(client));
      return true;
    });
  return {
    find,
    changeWith,
    change: (run, change) => changeWith(run, async () => change),
    async take(jobId, carrier) {
      const { rowCount } = await pool.query('UPDATE validation_job SET carrier = $2 WHERE job_id = $1', [
        jobId,
        carrier,
      ]);
      return rowCount === 1;
    },
    async enqueue(jobId, waitMs = 0) {
      await pool.query(enqueueJob, [runValidationJobJob.name, jobId, waitMs]);
    },
    async findUnderWay(accountId) {
      const { rows } = await pool.query<JobRunRow>(`${selectJobRuns} WHERE account_id = $1 AND ${underWay}`, [
        accountId,
      ]);
      return rows.map(jobRunOf);
    },
    async sweep(stillMs) {
      const { rowCount } = await pool.query(sweep, [runValidationJobJob.name, stillMs]);
      return rowCount ?? 0;
    },
  };
}

async function write(client: PoolClient, { runId }: JobRun, change: JobRunChange): Promise<void> {
  const members = Object.keys(change) as (keyof JobRunChange)[];
  const assignments = members.map((member, at) => `${changeColumns[member]} = $${at + 2}`);
  await client.query(
    `UPDATE validation_job SET ${[...assignments, 'version = version + 1'].join(', ')} WHERE job_id = $1`,
    [runId, ...members.map(member => change[member])],
  );
}
