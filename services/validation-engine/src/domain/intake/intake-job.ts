import type {
  AccountId,
  FileEncoding,
  RequestId,
  UserId,
  ValidationJobId,
  ValidationJobOrigin,
} from '@mailproof/shared-types';
import type { NewAddress, RowAddress, RowCounts } from './address-tally.ts';
import type { ColumnFacts } from './column-facts.ts';

/** A job that is about to come in. */
export interface NewJob {
  readonly jobId: ValidationJobId;
  readonly accountId: AccountId;
  readonly createdBy: UserId;
  readonly requestId: RequestId | null;
  readonly name: string;
  readonly origin: ValidationJobOrigin;
  readonly createdAt: Date;
  /** When it is going to be deleted. */
  readonly deletedAt: Date;
}

/** How a file was read. */
export interface FileLayout {
  readonly octets: number;
  readonly encoding: FileEncoding;
  readonly encodingIsGuess: boolean;
  /** Empty where each line is one cell. */
  readonly delimiter: string;
  readonly hasHeader: boolean;
}

/** What the rows of a job amount to. */
export interface JobContent {
  readonly layout: FileLayout | null;
  /** Cells of the header; empty where there is none. */
  readonly header: readonly string[];
  readonly columns: readonly string[];
  readonly columnFacts: readonly ColumnFacts[];
  readonly addressColumn: number;
  readonly counts: RowCounts;
  readonly addresses: number;
}

/** A row as it is kept, and its address where it is the first that has it. */
export interface NewRow extends RowAddress {
  /** Its place in the file, from 1, a header counted. */
  readonly rowNo: number;
  readonly cells: readonly string[];
  readonly isNew?: NewAddress;
}

/** Rows of a ready job while it is counted anew: all of it happens, or nothing. */
export interface Recount {
  /** The cells of the first row. */
  firstRow(): Promise<readonly string[]>;
  /** Puts the header's cells back as the first row. */
  addFirstRow(cells: readonly string[]): Promise<void>;
  removeFirstRow(): Promise<void>;
  forgetAddresses(): Promise<void>;
  /** Cells of one column, row by row and some rows at a time; what a row is too short for is blank. */
  cellsOf(column: number): AsyncIterable<readonly { readonly rowNo: number; readonly cell: string }[]>;
  write(rows: readonly Omit<NewRow, 'cells'>[]): Promise<void>;
}

export interface IntakeStore {
  /** Writes a job down whose rows are coming in; false where the account has as many as it can have. */
  begin(job: NewJob): Promise<boolean>;
  /** Adds rows with their addresses; false where the job is not coming in any more. */
  append(jobId: ValidationJobId, rows: readonly NewRow[], counts: RowCounts): Promise<boolean>;
  /** From then on the job can be started; false where it is not coming in any more. */
  finish(jobId: ValidationJobId, content: JobContent): Promise<boolean>;
  /** Takes a job that is coming in out of sight, for good. */
  discard(jobId: ValidationJobId): Promise<void>;
  /**
   * Takes a job of records out of sight whose rows have not come in, or did not to their end; whoever still sends it
   * writes no more. Any other job stays.
   */
  discardUnfinished(accountId: AccountId, jobId: ValidationJobId): Promise<void>;
  /** Ends a job that did not come in to its end; nobody sees its rows any more. */
  breakOff(jobId: ValidationJobId): Promise<void>;
  /** Works on the rows of a job in this state, in one transaction; false where there is no such job. */
  recount(
    jobId: ValidationJobId,
    state: 'receiving' | 'ready',
    work: (content: JobContent, rows: Recount) => Promise<JobContent>,
  ): Promise<boolean>;
}
