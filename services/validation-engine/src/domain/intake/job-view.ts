import type {
  AccountId,
  CreatorId,
  EmailType,
  RowKind,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobOrigin,
  ValidationJobState,
  ValidationJobWait,
  ValidationResult,
} from '@mailproof/shared-types';
import type { CellFault } from './address-of-cell.ts';
import type { JobContent } from './intake-job.ts';
import type { RowGroup } from './job-summary.ts';

/** A job, as its account sees it. */
export interface JobView {
  readonly jobId: ValidationJobId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly origin: ValidationJobOrigin;
  readonly state: ValidationJobState;
  /** While rows are arriving, only the counts are meaningful. */
  readonly content: JobContent;
  readonly price: number;
  readonly holds: number;
  readonly holdAmount: number;
  readonly spent: number | null;
  readonly done: number;
  /** Addresses with a verdict that is charged. */
  readonly charged: number;
  /** What the open addresses of an active job wait for, most addresses first. */
  readonly waits: readonly JobWait[];
  /** The recent number of verdicts per second; null unless the job is running. */
  readonly perSecond: number | null;
  /** The number of rows by result. */
  readonly results: Readonly<Partial<Record<ValidationResult, number>>>;
  readonly failure: ValidationJobFailure | null;
  readonly createdBy: CreatorId;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly deletedAt: Date;
  readonly version: number;
}

/** Addresses of a job that wait for the same reason. */
export interface JobWait {
  readonly reason: ValidationJobWait;
  readonly addresses: number;
  readonly rows: number;
  /** When the first and the last of them are due. */
  readonly nextAt: Date;
  readonly until: Date;
  /** Seconds to `until`. */
  readonly secondsLeft: number;
  /** Those with the most addresses, most first. */
  readonly mailHosts: readonly {
    readonly mailHost: string;
    readonly addresses: number;
    readonly nextAt: Date;
  }[];
}

/** A row of a job, with the results for its address. */
export interface RowView {
  /** From 1, not counting a header. */
  readonly row: number;
  readonly cells: readonly string[];
  readonly email: string | null;
  readonly fault: CellFault | null;
  readonly isDuplicate: boolean;
  readonly verdict: {
    readonly result: ValidationResult;
    readonly reason: string;
    readonly mxDomain: string | null;
    readonly mxProvider: string | null;
    readonly emailType: EmailType | null;
  } | null;
}

export interface RowsWanted {
  readonly cursor?: string | undefined;
  readonly from_row?: number | undefined;
  /** How many of the matching rows are skipped. */
  readonly skip?: number | undefined;
  readonly limit: number;
  readonly result?: ValidationResult | 'none' | undefined;
  readonly kind?: RowKind | undefined;
}

export interface JobViews {
  find(accountId: AccountId, jobId: ValidationJobId): Promise<JobView | undefined>;
  list(
    accountId: AccountId,
    wanted: {
      readonly cursor?: string | undefined;
      readonly limit: number;
      readonly state?: ValidationJobState | undefined;
      readonly origin?: ValidationJobOrigin | undefined;
    },
  ): Promise<{ readonly jobs: readonly JobView[]; readonly nextCursor: string | undefined }>;
  /** Undefined if the account has no such job. */
  rows(
    accountId: AccountId,
    jobId: ValidationJobId,
    wanted: RowsWanted,
  ): Promise<{ readonly rows: readonly RowView[]; readonly nextCursor: string | undefined } | undefined>;
  /** Groups of rows by their findings; undefined if the account has no such job. */
  groups(accountId: AccountId, jobId: ValidationJobId): Promise<readonly RowGroup[] | undefined>;
  /** Renames a job; false if the account has no such job. */
  rename(accountId: AccountId, jobId: ValidationJobId, name: string): Promise<boolean>;
}
