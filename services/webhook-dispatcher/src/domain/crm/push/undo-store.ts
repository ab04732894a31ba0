import type { AccountId, ExportId, ExportUndoFailure } from '@mailproof/shared-types';
import type { Export } from '../../exports/export.ts';

/** A record that an export created and that is to be taken away. */
export interface CreatedRecord {
  readonly rowNo: number;
  readonly recordId: string;
}

/** A row whose record was going to be created when its process died or its CRM went away. */
export interface UnsettledRow {
  readonly rowNo: number;
  readonly recordKey: string;
}

export interface UndoOutcome {
  readonly rowNo: number;
  readonly undone: 'removed' | 'failed';
  /** Why it could not be taken away, as it is written down. */
  readonly fault: string | null;
}

/** Where it is written down how far taking records away is. */
export interface UndoStore {
  /**
   * Begins, with its job, or begins anew with the records that failed or came to it since. Undefined, without any
   * effect, where it goes on already, where nothing is left to be taken away, or the export is gone.
   */
  begin(record: Export, now: Date): Promise<Export | undefined>;
  find(exportId: ExportId): Promise<Export | undefined>;
  findOf(accountId: AccountId, exportId: ExportId): Promise<Export | undefined>;
  /** The next records that nothing has been done about, in the order of their rows. */
  next(exportNo: string, recordsMax: number): Promise<readonly CreatedRecord[]>;
  /** Rows of which it has to be found out whether they were created. */
  unsettled(exportNo: string, rowsMax: number): Promise<readonly UnsettledRow[]>;
  /** Writes down the records that were found for them; null where nothing was created. */
  settle(
    exportNo: string,
    found: readonly { readonly rowNo: number; readonly recordId: string | null }[],
    now: Date,
  ): Promise<void>;
  /** Records what came of some records, and counts them once. */
  record(exportNo: string, outcomes: readonly UndoOutcome[], now: Date): Promise<void>;
  /** Lets the job come again after so long; nothing holds a slot until then. */
  wait(exportId: ExportId, waitMs: number): Promise<void>;
  /** Notes that it went wrong for reasons of our own; answers whether that has been too often in a row. */
  noteFault(exportNo: string, attemptsMax: number): Promise<boolean>;
  /** Ends it, if it goes on. */
  end(exportNo: string, failure: ExportUndoFailure | null, now: Date): Promise<Export | undefined>;
  /** Gives jobs to those that have none and stand still since before a moment; answers how many. */
  sweep(stillSince: Date): Promise<number>;
}
