import type { AccountId, ValidationJobId } from '@mailproof/shared-types';

/** Removes jobs permanently: first it hides them, then deletes their rows in batches, then the jobs. */
export interface JobRemoval {
  /** Hides a job; false if the account has no such job, or it is running. */
  remove(accountId: AccountId, jobId: ValidationJobId): Promise<boolean>;
  /** Hides expired jobs, unless they are running. */
  removeOld(now: Date): Promise<void>;
  /** Deletes hidden jobs and returns how many there were. */
  removeGone(): Promise<number>;
  /** Ends incoming jobs that got no rows for `stillMs` milliseconds, because their process died. Returns how many. */
  breakOffStill(stillMs: number): Promise<number>;
  /** Deletes the rows of interrupted uploads. */
  removeBrokenOff(): Promise<void>;
}

/** Longer than the allowed silence of a sender plus the time for a batch, in milliseconds. */
const stillMs = 300_000;

/** Performs one sweep; replicas may sweep at the same time. */
export async function sweepJobs(
  removal: JobRemoval,
  now: Date,
): Promise<{ interrupted: number; removed: number }> {
  const interrupted = await removal.breakOffStill(stillMs);
  await removal.removeBrokenOff();
  await removal.removeOld(now);
  return { interrupted, removed: await removal.removeGone() };
}
