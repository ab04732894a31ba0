import {
  advanceRun,
  cancelRun,
  endingOf,
  hasEnded,
  type RunPorts,
  untilChanged,
} from '@mailproof/durable-work';
import type { AccountId, ValidationJobId } from '@mailproof/shared-types';
import { isActive, type JobRun, type JobRunChange } from './job-run.ts';
import type { JobAddresses, JobRunStore } from './job-run-store.ts';

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

/** The most steps that the settlement of a job takes, including lost holds. */
const settlingStepsMax = 10;

export interface FinishPorts<Transaction> extends SteerPorts<Transaction> {
  readonly addresses: Pick<JobAddresses<Transaction>, 'finishOpen'>;
}

/**
 * Ends a job as succeeded: addresses without a verdict become `unknown`. Does not change a job that has ended or is
 * ending. Settles the credits too, unless the ledger is unavailable; then the job's worker does.
 */
export async function finishJob<Transaction>(
  ports: FinishPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<SteerOutcome> {
  const { runs, addresses, now } = ports;
  const outcome = await untilChanged<SteerOutcome>(async () => {
    const run = await runs.find(jobId);
    if (run?.accountId !== accountId) {
      return 'notFound';
    }
    if (!isActive(run)) {
      return hasEnded(run) ? 'steered' : 'notActive';
    }
    if (run.ending !== null) {
      return 'steered';
    }
    const finished = await runs.changeWith(
      run,
      async transaction => {
        await addresses.finishOpen(transaction, run, now());
        return { ...(await endingOf(ports, run, transaction, 'succeeded')), perSecond: null };
      },
      { waitMs: 0 },
    );
    return finished && 'steered';
  });
  if (outcome === 'steered') {
    // If the ledger is unavailable, the job's worker settles, and reports the failure.
    await settleNow(ports, jobId).catch(() => undefined);
  }
  return outcome;
}

/** Settles a job that is ending, so that its end is already in the answer. */
async function settleNow<Transaction>(ports: SteerPorts<Transaction>, jobId: ValidationJobId): Promise<void> {
  for (let steps = 0; steps < settlingStepsMax && (await advanceRun(ports, jobId)) === 'more'; steps += 1) {
    // Each step settles, or replaces a lost hold.
  }
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
