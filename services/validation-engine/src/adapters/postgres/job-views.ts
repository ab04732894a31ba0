import type {
  AccountId,
  UserId,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobOrigin,
  ValidationJobState,
  ValidationResult,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { JobView, JobViews } from '../../domain/intake/job-view.ts';
import { type ContentRow, contentOf } from './job-content.ts';
import { readRowGroups } from './job-row-groups.ts';
import { readJobRows } from './job-rows.ts';
import { readCursor } from './page-cursor.ts';

interface JobRow extends ContentRow {
  readonly job_id: ValidationJobId;
  readonly account_id: AccountId;
  readonly created_by: UserId;
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
      const job = await findPlace(pool, accountId, jobId);
      return (
        job && readJobRows(pool, { jobNo: job.job_no, hasHeader: job.layout?.hasHeader ?? false }, wanted)
      );
    },
    async groups(accountId, jobId) {
      const job = await findPlace(pool, accountId, jobId);
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

/** Where the rows of a job are, if the account has it. */
async function findPlace(
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
    // What is no address is `invalid` without being asked about.
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
