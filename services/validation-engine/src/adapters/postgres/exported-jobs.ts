import { linkTrace, onlyRow } from '@mailproof/service-kit';
import type { EmailType, ValidationResult } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { ExportedJobs, JobSource } from '../../domain/exported/exported-job.ts';
import { layoutOf } from './intake-store.ts';
import { sql } from './job-views.sql.ts';

/** The rows of started validation jobs, stored in Postgres. */
export function createExportedJobs(pool: Pool): ExportedJobs {
  return {
    async find(accountId, jobId) {
      const { rows } = await sql.find_exported_job(pool, { account_id: accountId, job_id: jobId });
      const [row] = rows;
      if (!row?.is_started) {
        return row && 'notStarted';
      }
      // An export has a different trace from the job.
      linkTrace(row.trace_parent);
      return {
        jobNo: row.job_no,
        columns: row.columns,
        addressColumn: row.address_column,
        hasEnded: row.has_ended,
        layout: layoutOf(row),
      };
    },
    async count({ jobNo, hasEnded }, source) {
      return onlyRow(
        sql.count_exported_rows(pool, { job_no: jobNo, has_ended: hasEnded, ...filterOf(source) }),
      );
    },
    async list({ jobNo, hasEnded }, source, after, limit) {
      const { row_nos, is_last, open } = await onlyRow(
        sql.list_exported_rows(pool, {
          job_no: jobNo,
          has_ended: hasEnded,
          ...filterOf(source),
          after,
          rows_max: limit,
        }),
      );
      return { rowNos: row_nos as number[], isLast: is_last, open };
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
