import {
  type AccountId,
  type EmailType,
  type ExportedValue,
  exportedVerdictFields,
  isPlainNumber,
  type UploadedFile,
  type ValidationJobId,
  type ValidationResult,
  type validationJobSource,
} from '@mailproof/shared-types';
import type { z } from 'zod';
import { addressOfCell } from '../intake/address-of-cell.ts';
import { exportedColumnNames } from '../intake/column-names.ts';
import type { FileLayout } from '../intake/intake-job.ts';

export type JobSource = z.output<typeof validationJobSource>;

type VerdictField = (typeof exportedVerdictFields)[number];

/** A job whose rows can be exported. Until it has ended, only rows with a result are; they no longer change. */
export interface ExportedJob {
  readonly jobNo: string;
  readonly columns: readonly string[];
  readonly addressColumn: number | null;
  readonly hasEnded: boolean;
  /** How the rows came in; null for a pasted list and CRM records. */
  readonly layout: FileLayout | null;
}

/** A row of a job with the verdict on its address. */
export interface ExportedJobRow {
  readonly cells: readonly string[];
  /** Why the row has no address to validate. */
  readonly fault: string | null;
  readonly email: string | null;
  readonly result: ValidationResult | null;
  readonly mxDomain: string | null;
  readonly mxProvider: string | null;
  readonly emailType: EmailType | null;
  /** When the verdict was reached; null without one. */
  readonly checkedAt: Date | null;
}

export interface ExportedJobs {
  /** Returns `notStarted` if the job has no results yet, and undefined if the account has no such job. */
  find(accountId: AccountId, jobId: ValidationJobId): Promise<ExportedJob | 'notStarted' | undefined>;
  /** Counts the rows of a source that are exported now, and the open ones, which have no result yet. */
  count(job: ExportedJob, source: JobSource): Promise<{ readonly rows: number; readonly open: number }>;
  /**
   * Row numbers above `afterRowNo`, ascending. `open` counts the open rows above `afterRowNo` up to the last of these
   * numbers, or to the end if `isLast`.
   */
  list(
    job: ExportedJob,
    source: JobSource,
    afterRowNo: number,
    limit: number,
  ): Promise<{ readonly rowNos: readonly number[]; readonly isLast: boolean; readonly open: number }>;
  /**
   * Reads rows by their numbers: as many of the first ones as fit into an answer of reasonable size, at least one. A
   * deleted row is undefined.
   */
  read(job: ExportedJob, rowNos: readonly number[]): Promise<(ExportedJobRow | undefined)[]>;
}

/** How the list of a job came in. */
export function uploadedFile({ layout }: Pick<ExportedJob, 'layout'>): UploadedFile | undefined {
  return layout === null
    ? undefined
    : {
        format: layout.format ?? 'csv',
        delimiter: layout.delimiter,
        encoding: layout.encoding,
        byte_order_mark: layout.byteOrderMark ?? false,
        line_end: layout.lineEnd ?? 'crlf',
        quotes: layout.quotes ?? 'needed',
      };
}

/** Our fields, with the time of the verdict if the source asks for it. */
function fieldsOf({ with_validated_at }: JobSource): readonly (VerdictField | 'validated_at')[] {
  return with_validated_at === true ? [...exportedVerdictFields, 'validated_at'] : exportedVerdictFields;
}

/** Field names of a row: its own columns, then ours. */
export function exportedColumns({ columns, addressColumn }: ExportedJob, source: JobSource): string[] {
  const ours = fieldsOf(source);
  const own = exportedColumnNames(columns, addressColumn, ours).filter(name => name !== null);
  return [...own, ...ours];
}

/** Values of a row, in the order of `exportedColumns`. */
export function exportedValues(job: ExportedJob, source: JobSource, row: ExportedJobRow): ExportedValue[] {
  const numberColumns = new Set(job.layout?.numberColumns);
  const own = exportedColumnNames(job.columns, job.addressColumn).flatMap((name, index) => {
    const cell = row.cells[index] ?? null;
    const isNumber = numberColumns.has(index) && cell !== null && isPlainNumber(cell);
    return name === null ? [] : [isNumber ? Number(cell) : cell];
  });
  const isBroken = row.fault !== null && row.fault !== 'blank';
  const result = isBroken ? 'invalid' : row.result;
  const verdict: Record<VerdictField | 'validated_at', ExportedValue> = {
    email: emailOf(job, row),
    result_status: result,
    valid: result === null ? null : result === 'ok' || result === 'catch_all_validated',
    mx_domain: row.mxDomain,
    mx_provider: row.mxProvider,
    email_type: row.emailType,
    validated_at: row.checkedAt?.toISOString() ?? null,
  };
  return [...own, ...fieldsOf(source).map(field => verdict[field])];
}

/**
 * The address as the row spells it: a duplicate may be spelled differently from the first row with that address. If the
 * cell is not exported, this is also the only column that shows text that is not an address.
 */
function emailOf({ addressColumn }: ExportedJob, { cells, email, fault }: ExportedJobRow): string | null {
  const cell = addressColumn === null ? '' : (cells[addressColumn] ?? '').trim();
  if (fault === 'blank') {
    return null;
  }
  if (email === null || cell.toLowerCase() === email.toLowerCase()) {
    return cell;
  }
  const found = addressOfCell(cell);
  return 'address' in found ? found.address.input : email;
}
