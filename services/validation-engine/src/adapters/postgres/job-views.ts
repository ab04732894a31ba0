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
  readonly hold_amount: number;
  readonly spent: number | null;
  readonly done: number;
  readonly failure: ValidationJobFailure | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly deleted_at: Date;
  readonly version: number;
}

interface ProgressRow {
  readonly job_no: string;
  readonly result: ValidationResult | null;
  readonly rows: number;
  readonly waiting: number;
}

const select = 'SELECT j.* FROM validation_job j WHERE j.account_id = $1 AND j.gone_at IS NULL';

/** Of jobs that were started; each address is counted as often as it stands in a row. */
const selectProgress = `
  SELECT a.job_no, a.result, count(*)::int AS rows,
    (count(DISTINCT a.address_no) FILTER (WHERE a.state = 'waiting'))::int AS waiting
  FROM validation_job_row r JOIN validation_job_address a USING (job_no, address_no)
  WHERE r.job_no = ANY($1::bigint[]) AND (a.result IS NOT NULL OR a.state = 'waiting')
  GROUP BY a.job_no, a.result`;

export function createJobViews(pool: Pool): JobViews {
  async function viewsOf(rows: readonly JobRow[]): Promise<JobView[]> {
    const started = rows.filter(row => row.started_at !== null).map(row => row.job_no);
    const progress =
      started.length === 0 ? [] : (await pool.query<ProgressRow>(selectProgress, [started])).rows;
    const byJob = Map.groupBy(progress, ({ job_no: jobNo }) => jobNo);
    return rows.map(row => viewOf(row, byJob.get(row.job_no) ?? []));
  }
  return {
    async find(accountId, jobId) {
      const { rows } = await pool.query<JobRow>(`${select} AND j.job_id = $2`, [accountId, jobId]);
      return (await viewsOf(rows))[0];
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
        jobs: await viewsOf(page),
        nextCursor: rows.length > limit ? page.at(-1)?.job_no : undefined,
      };
    },
    async rows(accountId, jobId, wanted) {
      const { rows } = await pool.query<Pick<JobRow, 'job_no' | 'layout'>>(
        `SELECT job_no, layout FROM validation_job WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL`,
        [accountId, jobId],
      );
      const [job] = rows;
      return (
        job && readJobRows(pool, { jobNo: job.job_no, hasHeader: job.layout?.hasHeader ?? false }, wanted)
      );
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

function viewOf(row: JobRow, progress: readonly ProgressRow[]): JobView {
  const known = progress.flatMap(({ result, rows }) => (result === null ? [] : [[result, rows] as const]));
  const results: Partial<Record<ValidationResult, number>> = Object.fromEntries(known);
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
    holdAmount: row.hold_amount,
    spent: row.spent,
    done: row.done,
    waiting: progress.reduce((sum, { waiting }) => sum + waiting, 0),
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
