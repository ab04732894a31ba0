import type { RunChange as PaidChange, PaidRun } from '@mailproof/durable-work';
import type {
  CreatorId,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobState,
} from '@mailproof/shared-types';

/** A validation job as a paid run (ADR 0035). */
export interface JobRun extends PaidRun {
  readonly runId: ValidationJobId;
  /** The number by which its addresses refer to it. */
  readonly jobNo: string;
  readonly state: ValidationJobState;
  /** The number of distinct addresses. */
  readonly addresses: number;
  /** Credits for each address that gets a verdict other than `unknown`. */
  readonly price: number;
  /** Null until the mail hosts of its addresses are known. */
  readonly chunks: number | null;
  /** The process that works on the job: the last one that took it. */
  readonly carrier: string | null;
  readonly failure: ValidationJobFailure | null;
  readonly createdBy: CreatorId;
  readonly startedAt: Date | null;
  readonly pausedAt: Date | null;
  /** Set in the change that ends it. */
  readonly endedAt?: Date;
}

/** The fields that a change of an active job may set. */
export type JobRunChange = Omit<PaidChange, 'state' | 'failure'> &
  Partial<Pick<JobRun, 'state' | 'chunks' | 'failure' | 'startedAt' | 'pausedAt' | 'movedAt'>> & {
    readonly perSecond?: number | null;
  };

/** The operation that starts a job, as the ledger's cause. */
export const startCause = 'start-validation-job';

export function isActive({ state }: Pick<JobRun, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'paused';
}
