import type { AccountId, ValidationJobId } from '@mailproof/shared-types';

/** How jobs end for good: nobody sees them any more, then their rows go some at a time, then they. */
export interface JobRemoval {
  /** Takes a job out of sight; false where the account has no such job, or it is under way. */
  remove(accountId: AccountId, jobId: ValidationJobId): Promise<boolean>;
  /** Takes jobs out of sight whose time is over, unless they are under way. */
  removeOld(now: Date): Promise<void>;
  /** Deletes what nobody sees any more; answers how many jobs there were. */
  removeGone(): Promise<number>;
  /** Ends jobs that are coming in and of which nothing was written for so long: their process died. Answers how many. */
  breakOffStill(stillMs: number): Promise<number>;
  /** Deletes the rows of uploads that broke off. */
  removeBrokenOff(): Promise<void>;
}

/** Longer than a sender may be silent and a batch may take, in milliseconds. */
const stillMs = 300_000;

/** One look at all of it; replicas may look at the same time. */
export async function sweepJobs(
  removal: JobRemoval,
  now: Date,
): Promise<{ brokenOff: number; removed: number }> {
  const brokenOff = await removal.breakOffStill(stillMs);
  await removal.removeBrokenOff();
  await removal.removeOld(now);
  return { brokenOff, removed: await removal.removeGone() };
}
