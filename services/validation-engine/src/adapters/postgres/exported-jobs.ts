import { linkTrace, onlyRow } from '@mailproof/service-kit';
import type { EmailType, ValidationResult } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { ExportedJobs, JobSource } from '../../domain/exported/exported-job.ts';
import { sql } from './job-views.sql.ts';

/** The rows of finished validation jobs, stored in Postgres. */
export function createExportedJobs(pool: Pool): ExportedJobs {
  return {
    async find(accountId, jobId) {
      const { rows } = await sql.find_exported_job(pool, { account_id: accountId, job_id: jobId });
      const [row] = rows;
      if (!row?.has_ended) {
        return row && 'notEnded';
      }
      // An export has a different trace from the job.
      linkTrace(row.trace_parent);
      return { jobNo: row.job_no, columns: row.columns, addressColumn: row.address_column };
    },
    async count({ jobNo }, source) {
      return (await onlyRow(sql.count_exported_rows(pool, { job_no: jobNo, ...filterOf(source) }))).rows;
    },
    async list({ jobNo }, source, after, limit) {
      const { rows } = await sql.list_exported_rows(pool, {
        job_no: jobNo,
        ...filterOf(source),
        after,
        rows_max: limit,
      });
      return rows.map(({ row_no }) => row_no);
    },
    async read({ jobNo }, rowNos) {
      const { rows } = await sql.read_exported_rows(pool, { job_no: jobNo, row_nos: rowNos });
      return rows.map(row =>
        // A deleted row has no cells.
        row.cells === null
          ? undefined
          : {
              cells: row.cells,
              fault: row.fault,
              email: row.email,
              result: row.result as ValidationResult | null,
              mxDomain: row.mx_domain,
              mxProvider: row.mx_provider,
              emailType: row.email_type as EmailType | null,
              checkedAt: row.checked_at,
            },
      );
    },
  };
}

function filterOf({ results, without_duplicates }: JobSource) {
  return { results, without_duplicates: without_duplicates === true };
}
