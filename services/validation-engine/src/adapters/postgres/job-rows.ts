import { Problem } from '@mailproof/service-kit';
import type { EmailType, ValidationResult } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { CellFault } from '../../domain/intake/address-of-cell.ts';
import type { RowsWanted, RowView } from '../../domain/intake/job-view.ts';

interface FoundRow {
  readonly row_no: number;
  readonly cells: string[];
  readonly fault: CellFault | null;
  readonly is_duplicate: boolean;
  readonly email: string | null;
  readonly result: ValidationResult | null;
  readonly reason: string | null;
  readonly mx_domain: string | null;
  readonly mx_provider: string | null;
  readonly email_type: EmailType | null;
  readonly is_last: boolean;
}

/** Limit on the cells of one page, in octets: rows can be a million characters long. */
const pageOctetsMax = 2_000_000;

const isBroken = "r.fault <> 'blank'";

const ofResult: Readonly<Record<ValidationResult | 'none', string>> = {
  ok: "a.result = 'ok'",
  catch_all_validated: "a.result = 'catch_all_validated'",
  catch_all: "a.result = 'catch_all'",
  invalid: `(a.result = 'invalid' OR ${isBroken})`,
  unknown: "a.result = 'unknown'",
  none: "(a.result IS NULL AND (r.fault IS NULL OR r.fault = 'blank'))",
};

const ofKind: Readonly<Record<NonNullable<RowsWanted['kind']>, string>> = {
  valid: 'r.address_no IS NOT NULL',
  broken: isBroken,
  blank: "r.fault = 'blank'",
  duplicate: 'r.is_duplicate',
};

const addressOfRow =
  'LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no';

/**
 * Reads a page of the rows of a job. It finds the page's row numbers first, so that it does not read the rows before
 * the page in full.
 */
export async function readJobRows(
  pool: Pool,
  job: { readonly jobNo: string; readonly hasHeader: boolean },
  { cursor, from_row: fromRow, skip, limit, result, kind }: RowsWanted,
): Promise<{ rows: RowView[]; nextCursor: string | undefined }> {
  // Row numbers in the file count the header.
  const ahead = job.hasHeader ? 1 : 0;
  const after = readCursor(cursor) ?? String((fromRow ?? 1) - 1 + ahead);
  const filters = [...(result ? [ofResult[result]] : []), ...(kind ? [ofKind[kind]] : [])];
  const { rows } = await pool.query<FoundRow>(
    `SELECT * FROM (
       SELECT f.*, lead(f.row_no) OVER w IS NULL AS is_last, sum(f.octets) OVER w - f.octets AS octets_ahead
       FROM (
         SELECT r.row_no, r.cells, r.fault, r.is_duplicate, a.email, a.result, a.reason, a.mx_domain, a.mx_provider,
           a.email_type, octet_length(array_to_string(r.cells, '')) AS octets
         FROM (
           SELECT r.job_no, r.row_no FROM validation_job_row r ${result ? addressOfRow : ''}
           WHERE r.job_no = $1 AND r.row_no > $2::bigint ${filters.map(filter => `AND ${filter}`).join(' ')}
           ORDER BY r.row_no OFFSET $4 LIMIT $3
         ) page JOIN validation_job_row r USING (job_no, row_no) ${addressOfRow}
       ) f WINDOW w AS (ORDER BY f.row_no)
     ) p WHERE octets_ahead < ${pageOctetsMax} ORDER BY row_no`,
    [job.jobNo, after, limit + 1, skip ?? 0],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map(row => viewOf(row, ahead)),
    nextCursor: last && !last.is_last ? String(last.row_no) : undefined,
  };
}

function viewOf(row: FoundRow, ahead: number): RowView {
  return {
    row: row.row_no - ahead,
    cells: row.cells,
    email: row.email,
    fault: row.fault,
    isDuplicate: row.is_duplicate,
    verdict: verdictOf(row),
  };
}

function verdictOf({ fault, result, reason, ...row }: FoundRow): RowView['verdict'] {
  if (fault !== null && fault !== 'blank') {
    return { result: 'invalid', reason: 'syntax', mxDomain: null, mxProvider: null, emailType: null };
  }
  return result === null
    ? null
    : {
        result,
        reason: reason ?? '',
        mxDomain: row.mx_domain,
        mxProvider: row.mx_provider,
        emailType: row.email_type,
      };
}

/**
 * Reads a cursor: the number at which the previous page ended.
 *
 * @throws Problem `invalid_cursor`
 */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new Problem('invalid_cursor');
  }
  return cursor ?? null;
}
