import type {
  AccountId,
  CrmImportFailure,
  ExportId,
  RequestId,
  UserId,
  ValidationJobId,
  ValidationJobState,
} from '@mailproof/shared-types';
import type { ConnectedCrms } from '../crm-access.ts';
import type { CrmImport } from './crm-import.ts';
import type { ImportStore } from './import-store.ts';

/** A validation job, as far as an import cares. */
export interface ImportedJob {
  readonly jobId: ValidationJobId;
  readonly state: ValidationJobState;
  /** Its rows did not come in to their end. */
  readonly isBrokenOff: boolean;
  readonly rows: number;
  readonly addresses: number;
  readonly costMax: number;
  readonly validated: number;
  readonly secondsLeft: number | null;
}

/** Rows on their way into a job. */
export interface RowsToTake {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly requestId: RequestId;
  readonly jobId: ValidationJobId;
  readonly name: string;
  readonly addressColumn: number;
  /** The job of an earlier try. */
  readonly replaces: ValidationJobId | null;
  /** As the engine's operation describes it; taken no faster than the rows are written. */
  readonly lines: AsyncIterable<Uint8Array>;
}

/** The engine does not take the rows, and why. */
export class RowsRefused extends Error {
  override readonly name = 'RowsRefused';
  readonly failure: Extract<
    CrmImportFailure,
    'no_addresses_found' | 'too_many_records' | 'too_much_text' | 'too_many_unstarted_jobs'
  >;

  constructor(failure: RowsRefused['failure'], options?: ErrorOptions) {
    super(`The rows are not taken: ${failure}`, options);
    this.failure = failure;
  }
}

export type StartOutcome =
  | 'started'
  | 'price_above_limit'
  | 'too_few_credits'
  | 'too_many_jobs'
  /** It cannot be started as it is: somebody has changed how its rows are read. */
  | 'not_started'
  | 'gone';

/** Validation jobs, in the service that has them. Every method throws `service_unavailable` where it is away. */
export interface ValidationJobs {
  /** Throws `RowsRefused`. */
  take(rows: RowsToTake, signal: AbortSignal): Promise<ImportedJob>;
  find(accountId: AccountId, jobId: ValidationJobId, signal: AbortSignal): Promise<ImportedJob | undefined>;
  /** Starts a job that is ready, if it costs no more than that. One that was started stays as it is. */
  start(
    accountId: AccountId,
    jobId: ValidationJobId,
    allowed: { readonly requestId: RequestId; readonly creditsMax: number },
    signal: AbortSignal,
  ): Promise<StartOutcome>;
  /** Lets nothing of a job be under way; one that waits for its start stays. */
  stop(accountId: AccountId, jobId: ValidationJobId, signal: AbortSignal): Promise<void>;
}

export type WriteBackBeginning =
  | { readonly kind: 'begun'; readonly exportId: ExportId; readonly rows: number }
  | { readonly kind: 'nothing' | 'tooMany' | 'gone' };

/** An export that writes results back. */
export interface WriteBackState {
  readonly status: 'under_way' | 'succeeded' | 'failed';
  readonly rows: number;
  readonly done: number;
}

/** Exports that write the results of a job back into the records that its rows came from. */
export interface WriteBacks {
  /** Begins the one of an import; asked again, it answers the same. Throws `CrmFault`. */
  begin(record: CrmImport): Promise<WriteBackBeginning>;
  find(accountId: AccountId, exportId: ExportId): Promise<WriteBackState | undefined>;
  /** Cancels the one of an import, if there is one. */
  cancel(record: CrmImport): Promise<void>;
}

/** What happens to imports, told as it happens. */
export interface ImportEvents {
  importBegun(record: CrmImport): void;
  importRead(record: CrmImport): void;
  importPaused(record: CrmImport): void;
  importEnded(record: CrmImport): void;
}

export interface ImportPorts {
  readonly imports: ImportStore;
  readonly connected: ConnectedCrms;
  readonly jobs: ValidationJobs;
  readonly writeBacks: WriteBacks;
  readonly events: ImportEvents;
  readonly now: () => Date;
  /** Ends early, without an error, when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}
