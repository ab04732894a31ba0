import type { RequestKey, RunStore, StartHold } from '@mailproof/durable-work';
import type {
  AccountId,
  RequestId,
  ValidationJobId,
  ValidationJobWait,
  Verdict,
} from '@mailproof/shared-types';
import type { JobRun, JobRunChange } from './job-run.ts';

/** Stores active jobs. */
export interface JobRunStore<Transaction> extends RunStore<JobRun, Transaction, JobRunChange> {
  /** Records the worker that carries a job from now on; false if there is no such job. */
  take(jobId: ValidationJobId, carrier: string): Promise<boolean>;
  /** Active jobs of an account. */
  findActive(accountId: AccountId): Promise<JobRun[]>;
}

/** The further storage that a start needs. */
export interface JobStarts {
  /** Finds the job that was started with an idempotency key. */
  findByKey(
    accountId: AccountId,
    keyHash: Uint8Array,
  ): Promise<{ readonly jobId: ValidationJobId; readonly requestHash: Uint8Array } | undefined>;
  hasMostJobs(accountId: AccountId): Promise<boolean>;
  /** Stores the hold and the job's work atomically, or nothing. */
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

/** An address that still has to be probed. */
export interface OpenAddress {
  readonly addressNo: number;
  readonly email: string;
  /** How often its hosts have been asked. */
  readonly attempts: number;
}

/** Addresses of a job that share sessions, identified by the mail host of the first of them. */
export interface OpenChunk {
  readonly chunkNo: number;
  readonly mailHost: string;
}

/** The mail host of an address, and the chunk in which it is probed. */
export interface ChunkedAddress {
  readonly addressNo: number;
  readonly mailHost: string;
  readonly chunkNo: number;
}

/** The outcome of a question: a verdict, or a time at which to ask again. */
export interface AskedAddress {
  readonly addressNo: number;
  readonly outcome:
    | { readonly kind: 'done'; readonly verdict: Verdict }
    | { readonly kind: 'waiting'; readonly dueAt: Date; readonly waitsFor: ValidationJobWait };
}

/** The distinct addresses of jobs. */
export interface JobAddresses<Transaction> {
  list(run: JobRun): Promise<readonly Pick<OpenAddress, 'addressNo' | 'email'>[]>;
  /** Stores the mail host, chunk and row count of each address. */
  assignChunks(transaction: Transaction, run: JobRun, addresses: readonly ChunkedAddress[]): Promise<void>;
  /** Chunks with addresses that can be probed now. */
  openChunks(run: JobRun, now: Date): Promise<OpenChunk[]>;
  /** The addresses of a chunk that can be probed now. */
  openOf(run: JobRun, chunkNo: number, now: Date): Promise<OpenAddress[]>;
  /** When the next address can be probed; undefined if all are done. */
  nextAt(run: JobRun, now: Date): Promise<Date | undefined>;
  /** Stores the outcomes of questions, with the job's counts, atomically. Stores nothing if the job is ending. */
  record(
    run: JobRun,
    asked: readonly AskedAddress[],
    pace: { readonly now: Date; readonly perSecond: number },
  ): Promise<void>;
  /** Makes every open address `unknown`, and counts it, in the transaction of the job's end. */
  finishOpen(transaction: Transaction, run: JobRun, now: Date): Promise<void>;
  /** Counts the addresses with a verdict other than `unknown`. */
  countCharged(transaction: Transaction, run: JobRun): Promise<number>;
}
