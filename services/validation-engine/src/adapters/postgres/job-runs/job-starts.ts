import { inTransaction, linkTrace, traceParent } from '@mailproof/service-kit';
import { limits, type ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { JobStarts } from '../../../domain/job-runs/job-run-store.ts';
import { createJobRunStore } from './job-run-store.ts';

/** From now on, the job's work belongs to the trace of its start, which links to that of the upload (ADR 0047). */
const start = `
  WITH before AS (SELECT trace_parent FROM validation_job WHERE job_id = $1)
  UPDATE validation_job SET
    state = 'queued', holds = $3, hold_amount = $4, hold_id = $5, hold_expires_at = $6, request_id = $7,
    idempotency_hash = $8, request_hash = $9, trace_parent = $10, moved_at = now(), version = version + 1
  WHERE job_id = $1 AND version = $2 AND state = 'ready' AND gone_at IS NULL
  RETURNING (SELECT trace_parent FROM before) AS trace_of_upload`;

/** SQLSTATE of a duplicate row. */
const uniqueViolation = '23505';

/** Starts jobs in Postgres. */
export function createJobStarts(pool: Pool): JobStarts {
  const jobs = createJobRunStore(pool);
  const hasMostJobs = async (...account: Parameters<typeof jobs.countActive>) =>
    (await jobs.countActive(...account)) >= limits.activeJobsMax;
  return {
    async findByKey(accountId, keyHash) {
      const { rows } = await pool.query<{ job_id: ValidationJobId; request_hash: Buffer }>(
        'SELECT job_id, request_hash FROM validation_job WHERE account_id = $1 AND idempotency_hash = $2',
        [accountId, keyHash],
      );
      return rows[0] && { jobId: rows[0].job_id, requestHash: rows[0].request_hash };
    },
    hasMostJobs: accountId => hasMostJobs(accountId),
    start: (run, { hold, amount, requestId, key }) =>
      inTransaction(pool, async client => {
        // Starts of one account wait for each other here, so that each one counts those before it.
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 35))', [run.accountId]);
        if (await hasMostJobs(run.accountId, client)) {
          return 'tooManyJobs' as const;
        }
        const { rows } = await client.query<{ trace_of_upload: string | null }>(start, [
          run.runId,
          run.version,
          hold.holds,
          amount,
          hold.holdId,
          hold.expiresAt,
          requestId,
          key?.hash ?? null,
          key?.requestHash ?? null,
          traceParent(),
        ]);
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
