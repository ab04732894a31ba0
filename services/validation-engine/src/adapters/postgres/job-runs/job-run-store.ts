import { hasEnded } from '@mailproof/durable-work';
import { createWorkTable, recordOf } from '@mailproof/durable-work/postgres';
import { inTransaction, linkTrace, onlyRow, recordEvent, traceParent } from '@mailproof/service-kit';
import {
  type EventData,
  limits,
  nameInEvent,
  runValidationJobJob,
  type ValidationJobId,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { JobRun, JobRunChange } from '../../../domain/job-runs/job-run.ts';
import type { JobRunStore, JobStarts } from '../../../domain/job-runs/job-run-store.ts';
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
    onChange: recordJobEvents,
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

/** Records what a change of a job tells its account. */
async function recordJobEvents(client: Transaction, job: JobRun, before: JobRun): Promise<void> {
  const needsCredits = job.failure === 'credits_exhausted' && before.failure !== 'credits_exhausted';
  const isFinished = hasEnded(job) && !hasEnded(before);
  if (!needsCredits && !isFinished) {
    return;
  }
  const {
    name,
    done,
    rows_broken: broken,
    ...row
  } = await onlyRow(sql.count_results(client, { job_id: job.runId }));
  const common = {
    account_id: job.accountId,
    job_id: job.runId,
    name: nameInEvent(name),
    state: job.state,
    addresses: job.addresses,
    done,
  };
  if (needsCredits) {
    const required = (job.addresses - done) * job.price;
    await recordEvent(client, 'validation_job.needs_credits', { ...common, required });
  }
  if (isFinished) {
    const results = { ...(row.results as EventData<'validation_job.finished'>['results']) };
    await recordEvent(client, 'validation_job.finished', {
      ...common,
      failure: job.failure,
      results: { ...results, ...(broken > 0 && { invalid: (results.invalid ?? 0) + broken }) },
      spent: job.spent ?? 0,
      seconds: secondsOf(job),
    });
  }
}

function secondsOf({ startedAt, endedAt }: JobRun): number | null {
  return startedAt && endedAt
    ? Math.max(0, Math.round((endedAt.getTime() - startedAt.getTime()) / 1_000))
    : null;
}

/** SQLSTATE of a duplicate row. */
const uniqueViolation = '23505';

/** Starts jobs in Postgres. */
export function createJobStarts(pool: Pool): JobStarts {
  const jobs = createJobRunStore(pool);
  const hasMostJobs = async (...account: Parameters<typeof jobs.countActive>) =>
    (await jobs.countActive(...account)) >= limits.activeJobsMax;
  return {
    async findByKey(accountId, keyHash) {
      const { rows } = await sql.find_job_by_key(pool, { account_id: accountId, key_hash: keyHash });
      return rows[0] && { jobId: rows[0].job_id as ValidationJobId, requestHash: rows[0].request_hash };
    },
    hasMostJobs: accountId => hasMostJobs(accountId),
    start: (run, { hold, amount, requestId, key }) =>
      inTransaction(pool, async client => {
        await sql.lock_starts(client, { account_id: run.accountId });
        if (await hasMostJobs(run.accountId, client)) {
          return 'tooManyJobs' as const;
        }
        const { rows } = await sql.start_job(client, {
          job_id: run.runId,
          version: run.version,
          holds: hold.holds,
          amount,
          hold_id: hold.holdId,
          hold_expires_at: hold.expiresAt,
          request_id: requestId,
          key_hash: key?.hash,
          request_hash: key?.requestHash,
          trace_parent: traceParent(),
        });
        const [started] = rows;
        if (!started) {
          return 'changed' as const;
        }
        linkTrace(started.trace_of_upload);
        await jobs.enqueue(run.runId, { waitMs: 0 }, client);
        return 'started' as const;
      }).catch((error: unknown) => {
        if ((error as { code?: unknown }).code === uniqueViolation) {
          return 'keyUsed' as const;
        }
        throw error;
      }),
  };
}
