import type {
  AccountId,
  CrmAction,
  ExportId,
  ExportRowState,
  ExportStatus,
  ExportTarget,
} from '@mailproof/shared-types';
import type { Export, ExportChange, ExportRow, RowOutcome } from './export.ts';

/** An export that begins. */
export type NewExport = Pick<
  Export,
  | 'exportId'
  | 'accountId'
  | 'createdBy'
  | 'requestId'
  | 'name'
  | 'source'
  | 'target'
  | 'options'
  | 'columns'
  | 'rowsTotal'
  | 'createdAt'
  | 'deletedAt'
>;

export type CreateExportOutcome =
  | { readonly kind: 'created'; readonly record: Export }
  /** There is one of this id: the same request came before. */
  | { readonly kind: 'repeated'; readonly record: Export }
  | { readonly kind: 'tooMany' };

/**
 * After how long the export's job is to run, in milliseconds; nothing holds a slot until then. A job that waits already is
 * moved in place of a second one, if that is sooner.
 */
export interface NextJob {
  readonly waitMs: number;
}

/** Where exports and what became of their rows are written down. */
export interface ExportStore {
  /** Writes an export and its job down, unless the account has `activeMax` under way. */
  create(record: NewExport, activeMax: number): Promise<CreateExportOutcome>;
  find(exportId: ExportId): Promise<Export | undefined>;
  findOf(accountId: AccountId, exportId: ExportId): Promise<Export | undefined>;
  /** How many of an account are under way. */
  countUnderWay(accountId: AccountId): Promise<number>;
  /** Newest first. Throws `invalid_cursor`. */
  list(
    accountId: AccountId,
    request: {
      readonly status?: ExportStatus | undefined;
      readonly target?: ExportTarget | undefined;
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly exports: Export[]; readonly nextCursor: string | undefined }>;
  /**
   * Changes an export, unless it has changed since it was read, and writes its next job down in the same step.
   * Undefined, without any effect, when it has changed or is gone.
   */
  change(record: Export, change: ExportChange, nextJob?: NextJob): Promise<Export | undefined>;
  /**
   * Appends keys of rows, in their order, unless the export has changed since it was read. It has begun from then on.
   * With the last ones, or when there are `rowsMax`, the rows are counted. `state` is what the rows are from the beginning.
   */
  appendKeys(
    record: Export,
    page: {
      readonly keys: readonly string[];
      readonly isLast: boolean;
      readonly rowsMax: number;
      readonly state: Extract<ExportRowState, 'pending' | 'delivered'>;
      readonly movedAt: Date;
    },
  ): Promise<Export | undefined>;
  /**
   * Claims the next rows that are due, in order: nobody else gets them until `claimedUntil`, at which they are due again
   * unless what became of them was recorded.
   */
  claimRows(
    exportNo: string,
    request: { readonly rowsMax: number; readonly now: Date; readonly claimedUntil: Date },
  ): Promise<ExportRow[]>;
  /** Lets claimed rows be nobody else's for longer. */
  renewClaims(exportNo: string, rowNos: readonly number[], claimedUntil: Date): Promise<void>;
  /** When the first of the pending rows is due; undefined when there are none. */
  nextDueAt(exportNo: string, now: Date): Promise<Date | undefined>;
  /**
   * Records what became of claimed rows, counts them, and changes the export, in one statement, whatever else has
   * changed of it meanwhile. Rows that are pending no more stay as they are and are not counted again. Undefined when the
   * export is gone.
   */
  recordRows(
    exportNo: string,
    outcomes: readonly RowOutcome[],
    change: ExportChange,
  ): Promise<Export | undefined>;
  /** Rows in order from after one on. */
  listRows(
    exportNo: string,
    request: {
      readonly state?: ExportRowState | undefined;
      readonly action?: CrmAction | undefined;
      readonly afterRowNo: number;
      readonly limit: number;
    },
  ): Promise<ExportRow[]>;
  /** Rows of a file that were found to be gone when it was downloaded: counted as gone from then on. */
  recordGone(exportNo: string, rowNos: readonly number[]): Promise<void>;
  /** Deletes an export with its rows, whatever its status. */
  delete(accountId: AccountId, exportId: ExportId): Promise<Export | undefined>;
  /** Deletes some of the exports of an account, with their rows. */
  deleteOfAccount(accountId: AccountId): Promise<Export[]>;
  /** Deletes some of the exports whose time is over, with their rows. */
  deleteOutdated(now: Date): Promise<Export[]>;
  /** Gives jobs to exports that have none and stand still since before a moment; answers how many. */
  sweep(stillSince: Date): Promise<number>;
}
