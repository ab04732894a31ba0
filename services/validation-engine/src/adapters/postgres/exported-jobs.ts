import { linkTrace } from '@mailproof/service-kit';
import type { EmailType, ValidationResult } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { ExportedJobs, JobSource } from '../../domain/exported/exported-job.ts';

interface FoundRow {
  /** Null if the row has been deleted. */
  readonly cells: string[] | null;
  readonly fault: string | null;
  readonly email: string | null;
  readonly result: ValidationResult | null;
  readonly mx_domain: string | null;
  readonly mx_provider: string | null;
  readonly email_type: EmailType | null;
  readonly checked_at: Date | null;
}

/** Limit on the cells of one answer, in octets: rows can be a million characters long. */
const answerOctetsMax = 2_000_000;

/** An incomplete upload has nothing to export. */
const findJob = `
  SELECT job_no, columns, address_column, trace_parent, state IN ('succeeded', 'failed', 'cancelled') AS has_ended
  FROM validation_job
  WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL
    AND (failure IS NULL OR failure <> 'upload_broken_off')`;

const addressOfRow =
  'LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no';

/**
 * A cell that is not an address is `invalid`, like its verdict. `$2` are the results, `$3` says whether to leave out
 * duplicates.
 */
const rowsOfSource = `
  FROM validation_job_row r ${addressOfRow}
  WHERE r.job_no = $1 AND ($2::text[] IS NULL OR
      CASE WHEN r.fault <> 'blank' THEN 'invalid' = ANY($2) ELSE a.result = ANY($2) END)
    AND NOT ($3 AND r.is_duplicate)`;

/** Reads row by row (`LIMIT` enforces it): if statistics lag behind a large upload, a join would read the whole job. */
const readRows = `
  SELECT * FROM (
    SELECT k.at, f.*, sum(coalesce(octet_length(array_to_string(f.cells, '')), 0)) OVER (
      ORDER BY k.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS octets_ahead
    FROM unnest($2::int[]) WITH ORDINALITY AS k(row_no, at)
    LEFT JOIN LATERAL (
      SELECT r.cells, r.fault, a.email, a.result, a.mx_domain, a.mx_provider, a.email_type, a.checked_at
      FROM validation_job_row r ${addressOfRow} WHERE r.job_no = $1 AND r.row_no = k.row_no LIMIT 1
    ) f ON true
  ) p WHERE coalesce(octets_ahead, 0) < ${answerOctetsMax} ORDER BY at`;

/** The rows of finished validation jobs, stored in Postgres. */
export function createExportedJobs(pool: Pool): ExportedJobs {
  return {
    async find(accountId, jobId) {
      const { rows } = await pool.query<{
        job_no: string;
        columns: string[];
        address_column: number | null;
        trace_parent: string | null;
        has_ended: boolean;
      }>(findJob, [accountId, jobId]);
      const [row] = rows;
      if (!row?.has_ended) {
        return row && 'notEnded';
      }
      // An export has a different trace from the job.
      linkTrace(row.trace_parent);
      return { jobNo: row.job_no, columns: row.columns, addressColumn: row.address_column };
    },
    async count({ jobNo }, source) {
      const { rows } = await pool.query<{ rows: number }>(`SELECT count(*)::int AS rows ${rowsOfSource}`, [
        jobNo,
        ...filterOf(source),
      ]);
      return rows[0]?.rows ?? 0;
    },
    async list({ jobNo }, source, afterRowNo, limit) {
      const { rows } = await pool.query<{ row_no: number }>(
        `SELECT r.row_no ${rowsOfSource} AND r.row_no > $4 ORDER BY r.row_no LIMIT $5`,
        [jobNo, ...filterOf(source), afterRowNo, limit],
      );
      return rows.map(({ row_no }) => row_no);
    },
    async read({ jobNo }, rowNos) {
      const { rows } = await pool.query<FoundRow>(readRows, [jobNo, rowNos]);
      return rows.map(({ cells, mx_domain, mx_provider, email_type, checked_at, ...row }) =>
        cells === null
          ? undefined
          : {
              cells,
              fault: row.fault,
              email: row.email,
              result: row.result,
              mxDomain: mx_domain,
              mxProvider: mx_provider,
              emailType: email_type,
              checkedAt: checked_at,
            },
      );
    },
  };
}

function filterOf({ results, without_duplicates }: JobSource): [readonly string[] | null, boolean] {
  return [results ?? null, without_duplicates === true];
}
