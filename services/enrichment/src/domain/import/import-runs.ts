import type { CompanyRecord } from '../profile-store/company-record.ts';
import type { PersonRecord } from '../profile-store/person-record.ts';
import type { LoadOutcome, SourceLoad } from '../profile-store/profile-store.ts';
import type { ImportKind } from './fields.ts';

/** What became of the rows of a file, as far as it has been dealt with. */
export interface ImportCounts {
  readonly added: number;
  readonly merged: number;
  readonly unchanged: number;
  /** Reason to number of rows. */
  readonly refused: Readonly<Record<string, number>>;
}

export interface ImportPosition extends ImportCounts {
  readonly rowsDone: number;
  readonly isEnded: boolean;
}

/** Rows that have been read, in their order. */
export interface ImportBatch {
  readonly records: readonly CompanyRecord[] | readonly PersonRecord[];
  /** Rows of the file that the batch deals with, those that were refused while reading included. */
  readonly rows: number;
  /** Those, by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Somebody else goes on with the same file at this moment. */
export class ImportConflict extends Error {
  override readonly name = 'ImportConflict';
}

/** The store as an import sees it: what is loaded and how far the file has been dealt with commit together. */
export interface ImportRuns {
  /** Begins, or finds how far it came before. `again` begins anew with a file that ended. */
  begin(kind: ImportKind, load: SourceLoad, again: boolean, now: Date): Promise<ImportPosition>;
  /** Answers the outcome of each record, in their order. Throws an `ImportConflict` when somebody else went on with the same file. */
  save(
    kind: ImportKind,
    load: SourceLoad,
    batch: ImportBatch,
    rowsBefore: number,
    now: Date,
  ): Promise<LoadOutcome[]>;
  end(kind: ImportKind, load: SourceLoad, now: Date): Promise<void>;
}
