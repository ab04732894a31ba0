import type { RowOf } from '@mailproof/service-kit';
import type {
  AccountId,
  CreatorId,
  EmailType,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobOrigin,
  ValidationJobState,
  ValidationResult,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { RowGroup } from '../../domain/intake/job-summary.ts';
import type { JobView, JobViews } from '../../domain/intake/job-view.ts';
import { contentOf, layoutOf } from './intake-store.ts';
import { readCursor, readJobRows } from './job-rows.ts';
import { sql } from './job-views.sql.ts';

type JobRow = RowOf<typeof sql.find_job>;

export function createJobViews(pool: Pool): JobViews {
  return {
    async find(accountId, jobId) {
      const { rows } = await sql.find_job(pool, { account_id: accountId, job_id: jobId });
      return rows[0] && viewOf(rows[0]);
    },
    async list(accountId, { cursor, limit, state, origin }) {
      const { rows } = await sql.list_jobs(pool, {
        account_id: accountId,
        below: readCursor(cursor),
        state,
        origin,
        rows_max: limit + 1,
      });
      const page = rows.slice(0, limit);
      return {
        jobs: page.map(viewOf),
        nextCursor: rows.length > limit ? page.at(-1)?.job_no : undefined,
      };
    },
    async rows(accountId, jobId, wanted) {
      const job = await findRowsOf(pool, accountId, jobId);
      return job && readJobRows(pool, job, wanted);
    },
    async groups(accountId, jobId) {
      const job = await findRowsOf(pool, accountId, jobId);
      return job && (await sql.groups_of_rows(pool, { job_no: job.jobNo })).rows.map(groupOf);
    },
    async rename(accountId, jobId, name) {
      const { rowCount } = await sql.rename_job(pool, { account_id: accountId, job_id: jobId, name });
      return rowCount === 1;
    },
  };
}

/** Finds the rows of a job, if the account has the job. */
async function findRowsOf(pool: Pool, accountId: AccountId, jobId: ValidationJobId) {
  const { rows } = await sql.find_rows_of_job(pool, { account_id: accountId, job_id: jobId });
  return rows[0] && { jobNo: rows[0].job_no, hasHeader: layoutOf(rows[0])?.hasHeader ?? false };
}

function viewOf(row: JobRow): JobView {
  const results = { ...(row.results as JobView['results']) };
  if (row.started_at !== null && row.rows_broken > 0) {
    // A cell that is not an address is `invalid` without a probe.
    results.invalid = (results.invalid ?? 0) + row.rows_broken;
  }
  return {
    jobId: row.job_id as ValidationJobId,
    accountId: row.account_id as AccountId,
    name: row.name,
    origin: row.origin as ValidationJobOrigin,
    state: row.state as ValidationJobState,
    content: contentOf(row),
    price: row.price,
    holds: row.holds,
    holdAmount: row.hold_amount,
    spent: row.spent,
    done: row.done,
    waiting: row.waiting,
    perSecond: row.state === 'running' ? row.per_second : null,
    results,
    failure: row.failure as ValidationJobFailure | null,
    createdBy: row.created_by as CreatorId,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    deletedAt: row.deleted_at,
    version: row.version,
  };
}

function groupOf(group: RowOf<typeof sql.groups_of_rows>): RowGroup {
  const { rows } = group;
  const result = group.result as ValidationResult;
  switch (group.by as RowGroup['by']) {
    case 'provider':
      return { by: 'provider', provider: group.mx_provider, result, rows };
    case 'emailType':
      return { by: 'emailType', emailType: group.email_type as EmailType | null, rows };
    case 'reason':
      return { by: 'reason', result, reason: group.reason as string, rows };
  }
}
