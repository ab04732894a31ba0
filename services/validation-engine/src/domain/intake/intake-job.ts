import type {
  AccountId,
  CreatorId,
  FileEncoding,
  FileFormat,
  RequestId,
  ValidationJobId,
  ValidationJobOrigin,
} from '@mailproof/shared-types';
import type { NewAddress, RowAddress, RowCounts } from './address-tally.ts';
import type { ColumnFacts } from './column-facts.ts';
import type { CsvStyle } from './csv-style.ts';

/** A job whose rows are about to arrive. */
export interface NewJob {
  readonly jobId: ValidationJobId;
  readonly accountId: AccountId;
  readonly createdBy: CreatorId;
  readonly requestId: RequestId | null;
  readonly name: string;
  readonly origin: ValidationJobOrigin;
  readonly createdAt: Date;
  /** When it will be deleted. */
  readonly deletedAt: Date;
  /** Of an upload with an `Idempotency-Key`. */
  readonly upload: UploadIdentity | null;
}

/** Identifies an upload, so that a repeated one is recognized. */
export interface UploadIdentity {
  /** The hash of the `Idempotency-Key`. */
  readonly key: Uint8Array;
  /** Returns the hash of the request and its body. Call it once, when the whole body has been read. */
  readonly hash: () => Uint8Array;
}

/** The job of an earlier upload with the same `Idempotency-Key`. */
export interface EarlierUpload {
  readonly jobId: ValidationJobId;
  readonly isReceiving: boolean;
  /** Null until all of it has been received. */
  readonly hash: Uint8Array | null;
}

/** How a file was read. Files of earlier releases are CSV, of which only the encoding and the delimiter are known. */
export interface FileLayout extends Partial<CsvStyle> {
  readonly format?: FileFormat;
  readonly octets: number;
  readonly encoding: FileEncoding;
  readonly encodingIsGuess: boolean;
  /** Empty if each line is one cell. */
  readonly delimiter: string;
  readonly hasHeader: boolean;
  readonly byteOrderMark?: boolean;
  /** Of a workbook: the sheet that was read, and the first of all its sheets. */
  readonly sheet?: string;
  readonly sheets?: readonly string[];
  /** Columns of a workbook whose numbers can be told from texts. */
  readonly numberColumns?: readonly number[];
}

/** A summary of a job's rows. */
export interface JobContent {
  readonly layout: FileLayout | null;
  /** Cells of the header; empty if there is none. */
  readonly header: readonly string[];
  readonly columns: readonly string[];
  readonly columnFacts: readonly ColumnFacts[];
  readonly addressColumn: number;
  readonly counts: RowCounts;
  readonly addresses: number;
}

/** A stored row, and its address if the row is the first to have it. */
export interface NewRow extends RowAddress {
  /** The row's number in the file, from 1, counting the header. */
  readonly rowNo: number;
  readonly cells: readonly string[];
  readonly isNew?: NewAddress;
}

/** Rows of a ready job during a recount, which is atomic. */
export interface Recount {
  /** The cells of the first row. */
  firstRow(): Promise<readonly string[]>;
  /** Reinserts the header's cells as the first row. */
  addFirstRow(cells: readonly string[]): Promise<void>;
  removeFirstRow(): Promise<void>;
  forgetAddresses(): Promise<void>;
  /** The cells of one column in row order, in batches; a missing cell is blank. */
  cellsOf(column: number): AsyncIterable<readonly { readonly rowNo: number; readonly cell: string }[]>;
  write(rows: readonly Omit<NewRow, 'cells'>[]): Promise<void>;
}

export interface IntakeStore {
  /** Stores a job whose rows are arriving, unless the account has reached its limit of jobs or the key has a job. */
  begin(job: NewJob): Promise<'begun' | 'tooMany' | 'keyInUse'>;
  /** Finds the job that was uploaded with a key, unless it has been deleted. */
  findUpload(accountId: AccountId, uploadKey: Uint8Array): Promise<EarlierUpload | undefined>;
  /** Removes the job of a key if its upload was interrupted, so that the upload can be repeated. */
  discardInterruptedUpload(accountId: AccountId, uploadKey: Uint8Array): Promise<void>;
  /** Adds rows with their addresses; false if the job no longer accepts rows. */
  append(jobId: ValidationJobId, rows: readonly NewRow[], counts: RowCounts): Promise<boolean>;
  /** Makes the job ready to start; false if it no longer accepts rows. */
  finish(jobId: ValidationJobId, content: JobContent, uploadHash: Uint8Array | null): Promise<boolean>;
  /** Removes a job that is being imported, permanently. */
  discard(jobId: ValidationJobId): Promise<void>;
  /**
   * Removes a job of records whose import did not finish; its sender can add no more rows. Does not touch any other
   * job.
   */
  discardUnfinished(accountId: AccountId, jobId: ValidationJobId): Promise<void>;
  /** Ends a job whose import did not finish; its rows become invisible. */
  interrupt(jobId: ValidationJobId): Promise<void>;
  /** Processes the rows of a job in this state, in one transaction; false if there is no such job. */
  recount(
    jobId: ValidationJobId,
    state: 'receiving' | 'ready',
    work: (content: JobContent, rows: Recount) => Promise<JobContent>,
  ): Promise<boolean>;
}
