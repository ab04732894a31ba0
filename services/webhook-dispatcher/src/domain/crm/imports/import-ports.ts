import type { WorkStore } from '@mailproof/durable-work';
import type {
  AccountId,
  CreatorId,
  CrmConnectionId,
  CrmImportFailure,
  CrmImportId,
  CrmImportState,
  ExportId,
  RequestId,
  SavedListId,
  ValidationJobId,
  ValidationJobState,
} from '@mailproof/shared-types';
import type { ConnectedCrms } from '../crm.ts';
import type { CrmImport, ImportChange } from './crm-import.ts';

/** The part of a validation job that an import needs. */
export interface ImportedJob {
  readonly jobId: ValidationJobId;
  readonly state: ValidationJobState;
  /** Whether its rows stopped arriving before the end. */
  readonly isInterrupted: boolean;
  readonly rows: number;
  readonly addresses: number;
  readonly costMax: number;
  readonly validated: number;
  readonly secondsLeft: number | null;
}

/** Rows to put into a new job. */
interface RowsToTake {
  readonly accountId: AccountId;
  readonly creatorId: CreatorId;
  readonly requestId: RequestId;
  readonly jobId: ValidationJobId;
  readonly name: string;
  readonly addressColumn: number;
  /** The job of an earlier attempt, which this one replaces. */
  readonly replaces: ValidationJobId | null;
  /** Lines in the format of the engine's operation; read no faster than the rows are written. */
  readonly lines: AsyncIterable<Uint8Array>;
}

/** The engine rejects the rows; `failure` says why. */
export class RowsRefused extends Error {
  override readonly name = 'RowsRefused';
  readonly failure: Extract<
    CrmImportFailure,
    'no_addresses_found' | 'too_many_records' | 'too_much_text' | 'too_many_unstarted_jobs'
  >;

  constructor(failure: RowsRefused['failure'], options?: ErrorOptions) {
    super(`The validation engine rejected the rows: ${failure}`, options);
    this.failure = failure;
  }
}

export type StartOutcome =
  | 'started'
  | 'price_above_limit'
  | 'too_few_credits'
  | 'too_many_jobs'
  /** The job cannot be started, because a user has changed how its rows are read. */
  | 'not_started'
  | 'gone';

/** Validation jobs, in the validation service. Every method throws `service_unavailable` if it does not answer. */
export interface ValidationJobs {
  /** Throws `RowsRefused`. */
  take(rows: RowsToTake, signal: AbortSignal): Promise<ImportedJob>;
  find(accountId: AccountId, jobId: ValidationJobId, signal: AbortSignal): Promise<ImportedJob | undefined>;
  /** Starts a ready job if it costs at most `creditsMax`. A job that was already started stays as it is. */
  start(
    accountId: AccountId,
    jobId: ValidationJobId,
    allowed: { readonly requestId: RequestId; readonly creditsMax: number },
    signal: AbortSignal,
  ): Promise<StartOutcome>;
  /** Stops the running work of a job; a job that waits to be started stays as it is. */
  stop(accountId: AccountId, jobId: ValidationJobId, signal: AbortSignal): Promise<void>;
}

export type WriteBackBeginning =
  | { readonly kind: 'started'; readonly exportId: ExportId; readonly rows: number }
  | { readonly kind: 'nothing' | 'tooMany' | 'gone' };

/** What became of the companies that an import adds to a list. */
export type ListAddition =
  | { readonly kind: 'added'; readonly added: number; readonly present: number }
  | { readonly kind: 'gone' | 'ofPeople' | 'full' };

/** Saved lists, in the enrichment service. Throws `service_unavailable` if it does not answer. */
export interface CompanyLists {
  /**
   * Adds all domains to a list of companies, or none. Repeated for the same import, it adds nothing and returns the
   * same counts. Without domains, it only checks the list.
   */
  add(
    list: {
      readonly accountId: AccountId;
      readonly listId: SavedListId;
      readonly importId: CrmImportId;
    },
    domains: readonly string[],
    signal: AbortSignal,
  ): Promise<ListAddition>;
}

/** An export that writes results back. */
export interface WriteBackState {
  readonly status: 'under_way' | 'succeeded' | 'failed';
  readonly rows: number;
  readonly done: number;
}

/** Exports that write the results of a job back into the records from which its rows came. */
export interface WriteBacks {
  /** Starts the write-back of an import; a repeated call returns the same one. Throws `CrmFault`. */
  begin(record: CrmImport): Promise<WriteBackBeginning>;
  find(accountId: AccountId, exportId: ExportId): Promise<WriteBackState | undefined>;
  /** Cancels the write-back of an import, if there is one. */
  cancel(record: CrmImport): Promise<void>;
}

export interface ImportEvents {
  importStarted(record: CrmImport): void;
  importRead(record: CrmImport): void;
  importPaused(record: CrmImport): void;
  importEnded(record: CrmImport): void;
}

export interface ImportPorts {
  readonly imports: ImportStore;
  readonly connected: ConnectedCrms;
  readonly jobs: ValidationJobs;
  readonly lists: CompanyLists;
  readonly writeBacks: WriteBacks;
  readonly events: ImportEvents;
  readonly now: () => Date;
  /** Resolves early, without an error, when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ReadingProgress {
  readonly read: number;
  readonly shortened: number;
  /** In an import into a list only. */
  readonly withoutDomain?: number;
}

/** A new import. */
export type NewImport = Pick<
  CrmImport,
  | 'importId'
  | 'accountId'
  | 'createdBy'
  | 'requestId'
  | 'connectionId'
  | 'name'
  | 'request'
  | 'columns'
  | 'recordsTotal'
  | 'createdAt'
  | 'deletedAt'
>;

/** Stores imports. An import counts as running while it reads or waits to read. */
export interface ImportStore extends WorkStore<CrmImportId, CrmImport, ImportChange, NewImport> {
  /** Newest first. Throws `invalid_cursor`. */
  list(
    accountId: AccountId,
    request: {
      readonly state?: CrmImportState | undefined;
      readonly connectionId?: CrmConnectionId | undefined;
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly imports: CrmImport[]; readonly nextCursor: string | undefined }>;
  /** Records how much was read; false if another worker has taken over the import or it has ended. */
  noteRead(
    importNo: string,
    runner: string,
    progress: ReadingProgress & { readonly now: Date },
  ): Promise<boolean>;
  /** Deletes an import that has ended and has nothing left to stop; otherwise returns `active`. */
  delete(accountId: AccountId, importId: CrmImportId): Promise<'deleted' | 'active' | 'notFound'>;
  /** Deletes some of the imports of an account; returns how many. */
  deleteOfAccount(accountId: AccountId): Promise<number>;
  /** Lists some of the expired imports that have not ended. */
  listOutdated(now: Date): Promise<readonly Pick<CrmImport, 'accountId' | 'importId'>[]>;
  /** Deletes some of the expired imports that have nothing left to stop; returns how many. */
  deleteOutdated(now: Date): Promise<number>;
}
