import type {
  AccountId,
  EmailType,
  CreatorId,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobOrigin,
  ValidationJobState,
  ValidationResult,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { RowGroup } from '../../domain/intake/job-summary.ts';
import type { JobView, JobViews } from '../../domain/intake/job-view.ts';
import { type ContentRow, contentOf } from './job-content.ts';
import { readCursor, readJobRows } from './job-rows.ts';

interface JobRow extends ContentRow {
  readonly job_id: ValidationJobId;
  readonly account_id: AccountId;
  readonly created_by: CreatorId;
  readonly name: string;
  readonly origin: ValidationJobOrigin;
  readonly state: ValidationJobState;
  readonly price: number;
  readonly holds: number;
  readonly hold_amount: number;
  readonly spent: number | null;
  readonly done: number;
  readonly waiting: number;
  readonly results: Partial<Record<ValidationResult, number>>;
  readonly per_second: number | null;
  readonly failure: ValidationJobFailure | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly deleted_at: Date;
  readonly version: number;
}

const select = `
  SELECT j.*, (SELECT count(*)::int FROM validation_job_address a
    WHERE a.job_no = j.job_no AND a.state = 'waiting') AS waiting
  FROM validation_job j WHERE j.account_id = $1 AND j.gone_at IS NULL`;

export function createJobViews(pool: Pool): JobViews {
  return {
    async find(accountId, jobId) {
      const { rows } = await pool.query<JobRow>(`${select} AND j.job_id = $2`, [accountId, jobId]);
      return rows[0] && viewOf(rows[0]);
    },
    async list(accountId, { cursor, limit, state, origin }) {
      const { rows } = await pool.query<JobRow>(
        `${select} AND ($2::bigint IS NULL OR j.job_no < $2) AND ($3::text IS NULL OR j.state = $3)
           AND ($4::text IS NULL OR j.origin = $4)
         ORDER BY j.job_no DESC LIMIT $5`,
        [accountId, readCursor(cursor), state ?? null, origin ?? null, limit + 1],
      );
      const page = rows.slice(0, limit);
      return {
        jobs: page.map(viewOf),
        nextCursor: rows.length > limit ? page.at(-1)?.job_no : undefined,
      };
    },
    async rows(accountId, jobId, wanted) {
      const job = await findRowsOf(pool, accountId, jobId);
      return (
        job && readJobRows(pool, { jobNo: job.job_no, hasHeader: job.layout?.hasHeader ?? false }, wanted)
      );
    },
    async groups(accountId, jobId) {
      const job = await findRowsOf(pool, accountId, jobId);
      return job && readRowGroups(pool, job.job_no);
    },
    async rename(accountId, jobId, name) {
      const { rowCount } = await pool.query(
        `UPDATE validation_job SET name = $3, version = version + 1
         WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL`,
        [accountId, jobId, name],
      );
      return rowCount === 1;
    },
  };
}

/** Finds the rows of a job, if the account has the job. */
async function findRowsOf(
  pool: Pool,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<Pick<JobRow, 'job_no' | 'layout'> | undefined> {
  const { rows } = await pool.query<Pick<JobRow, 'job_no' | 'layout'>>(
    `SELECT job_no, layout FROM validation_job WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL`,
    [accountId, jobId],
  );
  return rows[0];
}

function viewOf(row: JobRow): JobView {
  const results = { ...row.results };
  if (row.started_at !== null && row.rows_broken > 0) {
    // A cell that is not an address is `invalid` without a probe.
    results.invalid = (results.invalid ?? 0) + row.rows_broken;
  }
  return {
    jobId: row.job_id,
    accountId: row.account_id,
    name: row.name,
    origin: row.origin,
    state: row.state,
    content: contentOf(row),
    price: row.price,
    holds: row.holds,
    holdAmount: row.hold_amount,
    spent: row.spent,
    done: row.done,
    waiting: row.waiting,
    perSecond: row.state === 'running' ? row.per_second : null,
    results,
    failure: row.failure,
    createdBy: row.created_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    deletedAt: row.deleted_at,
    version: row.version,
  };
}

interface FoundGroup {
  readonly by: RowGroup['by'];
  readonly mx_provider: string | null;
  readonly email_type: EmailType | null;
  readonly result: ValidationResult;
  readonly reason: string;
  readonly rows: number;
}

/** A cell that is not an address is `invalid` from the start of the job, as in its counts. */
const groupedRows = `
  SELECT CASE grouping(mx_provider, email_type, reason) WHEN 3 THEN 'provider' WHEN 5 THEN 'emailType' ELSE 'reason' END
    AS by, mx_provider, email_type, result, reason, sum(row_count)::int AS rows
  FROM (
    SELECT mx_provider, email_type, result, reason, row_count FROM validation_job_address
    WHERE job_no = $1 AND state = 'done'
    UNION ALL
    SELECT NULL, NULL, 'invalid', 'syntax', rows_broken FROM validation_job
    WHERE job_no = $1 AND started_at IS NOT NULL AND rows_broken > 0
  ) known
  GROUP BY GROUPING SETS ((mx_provider, result), (email_type), (result, reason))`;

/** Counts the rows of a job by their findings. */
async function readRowGroups(pool: Pool, jobNo: string): Promise<RowGroup[]> {
  const { rows } = await pool.query<FoundGroup>(groupedRows, [jobNo]);
  return rows.map(groupOf);
}

function groupOf({ by, mx_provider, email_type, result, reason, rows }: FoundGroup): RowGroup {
  switch (by) {
    case 'provider':
      return { by, provider: mx_provider, result, rows };
    case 'emailType':
      return { by, emailType: email_type, rows };
    case 'reason':
      return { by, result, reason, rows };
  }
}
