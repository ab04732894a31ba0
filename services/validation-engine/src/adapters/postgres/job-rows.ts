import { Problem, type RowOf } from '@mailproof/service-kit';
import type { EmailType, ValidationResult } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { CellFault } from '../../domain/intake/address-of-cell.ts';
import type { RowsWanted, RowView } from '../../domain/intake/job-view.ts';
import { sql } from './job-views.sql.ts';

type FoundRow = RowOf<typeof sql.page_of_rows>;

/** Reads a page of the rows of a job. */
export async function readJobRows(
  pool: Pool,
  job: { readonly jobNo: string; readonly hasHeader: boolean },
  { cursor, from_row: fromRow, skip, limit, result, kind }: RowsWanted,
): Promise<{ rows: RowView[]; nextCursor: string | undefined }> {
  // Row numbers in the file count the header.
  const ahead = job.hasHeader ? 1 : 0;
  const after = readCursor(cursor) ?? String((fromRow ?? 1) - 1 + ahead);
  const place = { job_no: job.jobNo, after, rows_max: limit + 1, skipped: skip ?? 0 };
  const { rows } = await (result || kind
    ? sql.page_of_some_rows(pool, { ...place, result, kind })
    : sql.page_of_rows(pool, place));
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
    fault: row.fault as CellFault | null,
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
        result: result as ValidationResult,
        reason: reason ?? '',
        mxDomain: row.mx_domain,
        mxProvider: row.mx_provider,
        emailType: row.email_type as EmailType | null,
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
