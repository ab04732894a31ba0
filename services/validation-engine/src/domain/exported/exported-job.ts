import {
  type AccountId,
  type EmailType,
  type ExportedValue,
  exportedVerdictFields,
  type ValidationJobId,
  type ValidationResult,
  type validationJobSource,
} from '@mailproof/shared-types';
import type { z } from 'zod';
import { addressOfCell } from '../intake/address-of-cell.ts';
import { exportedColumnNames } from '../intake/column-names.ts';

export type JobSource = z.output<typeof validationJobSource>;

type VerdictField = (typeof exportedVerdictFields)[number];

/** A job whose rows can be exported: it has ended, so that they say the same however often they are read. */
export interface ExportedJob {
  readonly jobNo: string;
  readonly columns: readonly string[];
  readonly addressColumn: number | null;
}

/** A row of a job with the verdict on its address. */
export interface ExportedJobRow {
  readonly cells: readonly string[];
  /** Why it has no address that can be asked about. */
  readonly fault: string | null;
  readonly email: string | null;
  readonly result: ValidationResult | null;
  readonly mxDomain: string | null;
  readonly mxProvider: string | null;
  readonly emailType: EmailType | null;
  /** When the verdict was found; null without one. */
  readonly checkedAt: Date | null;
}

export interface ExportedJobs {
  /** `notEnded` where it is still under way, undefined where the account has no such job. */
  find(accountId: AccountId, jobId: ValidationJobId): Promise<ExportedJob | 'notEnded' | undefined>;
  /** How many rows a source has. */
  count(job: ExportedJob, source: JobSource): Promise<number>;
  /** Numbers of the rows behind a number, ascending. */
  list(job: ExportedJob, source: JobSource, afterRowNo: number, limit: number): Promise<number[]>;
  /**
   * Rows by their numbers: as many of the first of them as make an answer of a fair size, at least one. Undefined stands
   * for one that is gone.
   */
  read(job: ExportedJob, rowNos: readonly number[]): Promise<(ExportedJobRow | undefined)[]>;
}

/** Our fields, with the moment of the verdict where the source wants it. */
function fieldsOf({ with_validated_at }: JobSource): readonly (VerdictField | 'validated_at')[] {
  return with_validated_at === true ? [...exportedVerdictFields, 'validated_at'] : exportedVerdictFields;
}

/** Names of the fields of a row: its own columns, then ours. */
export function exportedColumns({ columns, addressColumn }: ExportedJob, source: JobSource): string[] {
  const ours = fieldsOf(source);
  const own = exportedColumnNames(columns, addressColumn, ours).filter(name => name !== null);
  return [...own, ...ours];
}

/** What a row says, in the order of `exportedColumns`. */
export function exportedValues(job: ExportedJob, source: JobSource, row: ExportedJobRow): ExportedValue[] {
  const own = exportedColumnNames(job.columns, job.addressColumn).flatMap((name, place) =>
    name === null ? [] : [row.cells[place] ?? null],
  );
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
 * The address as the row has it: a duplicate may be written otherwise than the row that had it first, and where the cell
 * is not repeated, what is no address is told here alone.
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
