import type { RequestKey, RunStore, StartHold } from '@mailproof/paid-runs';
import type { AccountId, RequestId, ValidationJobId, Verdict } from '@mailproof/shared-types';
import type { JobRun, JobRunChange } from './job-run.ts';

/** Jobs that are under way, as they are written down. */
export interface JobRunStore<Transaction> extends RunStore<JobRun, Transaction> {
  change(run: JobRun, change: JobRunChange): Promise<boolean>;
  changeWith(run: JobRun, work: (transaction: Transaction) => Promise<JobRunChange>): Promise<boolean>;
  /** Writes down who works on a job from now on; false where there is no such job. */
  take(jobId: ValidationJobId, carrier: string): Promise<boolean>;
  /** Sees to it that a job is taken up at once, or after so long. */
  enqueue(jobId: ValidationJobId, waitMs?: number): Promise<void>;
  /** Jobs of an account that are under way. */
  findUnderWay(accountId: AccountId): Promise<JobRun[]>;
}

/** What a start needs besides. */
export interface JobStarts {
  /** Finds the job that was started under a key. */
  findByKey(
    accountId: AccountId,
    keyHash: Uint8Array,
  ): Promise<{ readonly jobId: ValidationJobId; readonly requestHash: Uint8Array } | undefined>;
  hasMostJobs(accountId: AccountId): Promise<boolean>;
  /** Writes the hold and the job's work down, in one step; or nothing. */
  start(
    run: JobRun,
    start: {
      readonly hold: StartHold;
      readonly amount: number;
      readonly requestId: RequestId | null;
      readonly key: RequestKey | null;
    },
  ): Promise<'started' | 'changed' | 'tooManyJobs' | 'keyUsed'>;
}

/** An address that is to be asked about. */
export interface OpenAddress {
  readonly addressNo: number;
  readonly email: string;
  /** Times that its hosts were asked already. */
  readonly attempts: number;
}

/** Addresses of a job that share sessions, by the host that the first of them has. */
export interface OpenChunk {
  readonly chunkNo: number;
  readonly mailHost: string;
}

/** The host that takes an address's mail, and the chunk that it is asked in. */
export interface AddressPlace {
  readonly addressNo: number;
  readonly mailHost: string;
  readonly chunkNo: number;
}

/** What became of a question: a verdict, or a time at which to ask again. */
export interface AskedAddress {
  readonly addressNo: number;
  readonly outcome:
    | { readonly kind: 'done'; readonly verdict: Verdict }
    | { readonly kind: 'waiting'; readonly dueAt: Date };
}

/** The different addresses of jobs. */
export interface JobAddresses<Transaction> {
  list(run: JobRun): Promise<readonly Pick<OpenAddress, 'addressNo' | 'email'>[]>;
  /** Writes down which host and chunk each has, and how many rows. */
  place(transaction: Transaction, run: JobRun, places: readonly AddressPlace[]): Promise<void>;
  /** Chunks with addresses that can be asked about now. */
  openChunks(run: JobRun, now: Date): Promise<OpenChunk[]>;
  /** Those addresses of a chunk. */
  openOf(run: JobRun, chunkNo: number, now: Date): Promise<OpenAddress[]>;
  /** When the next address can be asked about; undefined where every one is done. */
  nextAt(run: JobRun, now: Date): Promise<Date | undefined>;
  /** Writes down what became of questions, with the job's counts, in one step; nothing where the job is ending. */
  record(
    run: JobRun,
    asked: readonly AskedAddress[],
    pace: { readonly now: Date; readonly perSecond: number },
  ): Promise<void>;
  /** Counts the addresses with a verdict other than `unknown`. */
  countCharged(transaction: Transaction, run: JobRun): Promise<number>;
}
