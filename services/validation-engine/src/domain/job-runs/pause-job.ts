import { cancelRun, hasEnded, type RunPorts, untilChanged } from '@mailproof/durable-work';
import type { AccountId, ValidationJobId } from '@mailproof/shared-types';
import { isActive, type JobRun, type JobRunChange } from './job-run.ts';
import type { JobRunStore } from './job-run-store.ts';

export interface SteerPorts<Transaction> extends RunPorts<JobRun, Transaction> {
  readonly runs: JobRunStore<Transaction>;
}

/** `steered`: the job is in the requested state, whether or not anything had to be done. */
export type SteerOutcome = 'steered' | 'notFound' | 'notActive';

/** Stops probing further addresses; the hold stays. */
export function pauseJob<Transaction>(
  ports: SteerPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<SteerOutcome> {
  return steer(ports, accountId, jobId, run =>
    run.state === 'paused' ? undefined : { state: 'paused', pausedAt: ports.now(), perSecond: null },
  );
}

/** Resumes a paused job. */
export function resumeJob<Transaction>(
  ports: SteerPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<SteerOutcome> {
  return steer(ports, accountId, jobId, run =>
    run.state === 'paused'
      ? { state: run.startedAt === null ? 'queued' : 'running', pausedAt: null, movedAt: ports.now() }
      : undefined,
  );
}

/** Ends a job with the verdicts that it has. Does not change a job that has ended. */
export async function cancelJob<Transaction>(
  ports: SteerPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<SteerOutcome> {
  const run = await ports.runs.find(jobId);
  if (run?.accountId !== accountId) {
    return 'notFound';
  }
  // A job whose rows never arrived has failed, and has no credits.
  if (!isActive(run)) {
    return hasEnded(run) ? 'steered' : 'notActive';
  }
  await cancelRun(ports, accountId, jobId);
  return 'steered';
}

function steer<Transaction>(
  { runs }: SteerPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
  changeOf: (run: JobRun) => JobRunChange | undefined,
): Promise<SteerOutcome> {
  return untilChanged(async () => {
    const run = await runs.find(jobId);
    if (run?.accountId !== accountId) {
      return 'notFound';
    }
    if (!isActive(run) || run.ending !== null) {
      return 'notActive';
    }
    const change = changeOf(run);
    return !change || (await runs.change(run, change, { waitMs: 0 })) ? 'steered' : undefined;
  });
}
