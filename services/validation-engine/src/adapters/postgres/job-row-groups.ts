import type { EmailType, ValidationResult } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { RowGroup } from '../../domain/intake/job-summary.ts';

interface FoundGroup {
  readonly by: RowGroup['by'];
  readonly mx_provider: string | null;
  readonly email_type: EmailType | null;
  readonly result: ValidationResult;
  readonly reason: string;
  readonly rows: number;
}

/** What is no address is `invalid` from the start of the job on, as its counts say. */
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

/** Counts the rows of a job by what was found out about them. */
export async function readRowGroups(pool: Pool, jobNo: string): Promise<RowGroup[]> {
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
