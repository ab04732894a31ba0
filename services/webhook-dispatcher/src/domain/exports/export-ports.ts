import type { WorkStore } from '@mailproof/durable-work';
import type {
  AccountId,
  CrmAction,
  ExportId,
  ExportRowState,
  ExportStatus,
  ExportTarget,
} from '@mailproof/shared-types';
import type { Export, ExportChange, ExportRow, RowOutcome } from './export.ts';
import type { RowDelivery } from './row-delivery.ts';
import type { RowSources } from './row-sources.ts';

export interface ExportEvents {
  exportStarted(record: Export): void;
  exportEnded(record: Export): void;
}

export interface ExportPorts {
  readonly exports: ExportStore;
  readonly sources: RowSources;
  readonly delivery: RowDelivery;
  readonly events: ExportEvents;
  /** Whether an error of a source means that the exported data is gone or never existed. */
  readonly isSourceGone: (error: unknown) => boolean;
  readonly now: () => Date;
  /** A worker that has not renewed its claims for this long is considered dead, in milliseconds. */
  readonly claimMs: number;
}

/** A new export. With `failedRowsOf`, it gets the failed rows of that export, and is listed. */
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
  | 'rowsOpen'
  | 'createdAt'
  | 'deletedAt'
> &
  Partial<Pick<Export, 'failedRowsOf' | 'status' | 'isListed' | 'startedAt'>>;

/** Stores exports and the outcomes of their rows. */
export interface ExportStore extends WorkStore<ExportId, Export, ExportChange, NewExport> {
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
   * Appends keys of rows, in order, unless the export has changed since it was read. This starts the export. With the
   * last keys, or at `rowsMax`, the rows are counted. `state` is the initial state of the rows.
   */
  appendKeys(
    record: Export,
    page: {
      readonly keys: readonly string[];
      /** Rows without a result that were left out between these keys. */
      readonly open: number;
      readonly isLast: boolean;
      readonly rowsMax: number;
      readonly state: Extract<ExportRowState, 'pending' | 'delivered'>;
      readonly movedAt: Date;
    },
  ): Promise<Export | undefined>;
  /**
   * Claims the next due rows, in order. No other worker gets them until `claimedUntil`; then they are due again unless
   * their outcome was recorded.
   */
  claimRows(
    exportNo: string,
    request: { readonly rowsMax: number; readonly now: Date; readonly claimedUntil: Date },
  ): Promise<ExportRow[]>;
  /** Extends the claim of rows. */
  renewClaims(exportNo: string, rowNos: readonly number[], claimedUntil: Date): Promise<void>;
  /** When the first pending row is due; undefined if there is none. */
  nextDueAt(exportNo: string, now: Date): Promise<Date | undefined>;
  /**
   * Records the outcomes of claimed rows, counts them, and changes the export, in one statement, regardless of its
   * other changes meanwhile. Rows that are no longer pending stay as they are and are not counted again. Undefined when
   * the export is gone.
   */
  recordRows(
    exportNo: string,
    outcomes: readonly RowOutcome[],
    change: ExportChange,
  ): Promise<Export | undefined>;
  /** Rows in order, after `afterRowNo`. */
  listRows(
    exportNo: string,
    request: {
      readonly state?: ExportRowState | undefined;
      readonly action?: CrmAction | undefined;
      readonly afterRowNo: number;
      readonly limit: number;
    },
  ): Promise<ExportRow[]>;
  /** Counts rows of a file as gone that were missing when it was downloaded. */
  recordGone(exportNo: string, rowNos: readonly number[]): Promise<void>;
  /** Deletes an export with its rows, in any status. */
  delete(accountId: AccountId, exportId: ExportId): Promise<Export | undefined>;
  /** Deletes some of the exports of an account, with their rows. */
  deleteOfAccount(accountId: AccountId): Promise<Export[]>;
  /** Deletes some of the expired exports, with their rows. */
  deleteOutdated(now: Date): Promise<Export[]>;
}
