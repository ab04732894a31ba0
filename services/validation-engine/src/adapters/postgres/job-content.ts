import type { ColumnFacts } from '../../domain/intake/column-facts.ts';
import type { FileLayout, JobContent } from '../../domain/intake/intake-job.ts';

/** The content of a job, as columns of the job's row. */
export interface ContentRow {
  readonly job_no: string;
  readonly layout: FileLayout | null;
  readonly header: string[];
  readonly columns: string[];
  readonly column_facts: ColumnFacts[];
  readonly address_column: number | null;
  readonly rows_total: number;
  readonly rows_valid: number;
  readonly rows_broken: number;
  readonly rows_blank: number;
  readonly rows_duplicate: number;
  readonly addresses: number;
}

export const selectContent = `
  SELECT job_no, layout, header, columns, column_facts, address_column, rows_total, rows_valid, rows_broken,
    rows_blank, rows_duplicate, addresses
  FROM validation_job`;

export function contentOf(row: ContentRow): JobContent {
  return {
    layout: row.layout,
    header: row.header,
    columns: row.columns,
    columnFacts: row.column_facts,
    addressColumn: row.address_column ?? 0,
    counts: {
      total: row.rows_total,
      valid: row.rows_valid,
      broken: row.rows_broken,
      blank: row.rows_blank,
      duplicate: row.rows_duplicate,
    },
    addresses: row.addresses,
  };
}
