import type { RunChange as PaidChange, PaidRun } from '@mailproof/paid-runs';
import type {
  UserId,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobState,
} from '@mailproof/shared-types';

/** A validation job as a paid run (ADR 0035). */
export interface JobRun extends PaidRun {
  readonly runId: ValidationJobId;
  /** By which its addresses know it. */
  readonly jobNo: string;
  readonly state: ValidationJobState;
  /** Different addresses. */
  readonly addresses: number;
  /** Credits for each of them that gets a verdict other than `unknown`. */
  readonly price: number;
  /** Null until the mail hosts of its addresses are known. */
  readonly chunks: number | null;
  /** Who works on it: whoever took it last. */
  readonly carrier: string | null;
  readonly failure: ValidationJobFailure | null;
  readonly createdBy: UserId;
  readonly startedAt: Date | null;
  readonly pausedAt: Date | null;
}

/** What a change of a job that is under way may touch. */
export type JobRunChange = Omit<PaidChange, 'state' | 'failure'> &
  Partial<Pick<JobRun, 'state' | 'chunks' | 'failure' | 'startedAt' | 'pausedAt' | 'movedAt'>> & {
    readonly perSecond?: number | null;
  };

/** The operation that starts a job, as the ledger's cause. */
export const startCause = 'start-validation-job';

export function isUnderWay({ state }: Pick<JobRun, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'paused';
}
