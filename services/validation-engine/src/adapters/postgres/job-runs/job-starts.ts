import { inTransaction, linkTrace, traceParent } from '@mailproof/service-kit';
import { limits, type ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { JobStarts } from '../../../domain/job-runs/job-run-store.ts';
import { createJobRunStore } from './job-run-store.ts';
import { sql } from './job-runs.sql.ts';

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
