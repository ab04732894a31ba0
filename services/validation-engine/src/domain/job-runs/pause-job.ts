import { cancelRun, hasEnded, type RunPorts } from '@mailproof/paid-runs';
import type { AccountId, ValidationJobId } from '@mailproof/shared-types';
import { isUnderWay, type JobRun, type JobRunChange } from './job-run.ts';
import type { JobRunStore } from './job-run-store.ts';

export interface SteerPorts<Transaction> extends RunPorts<JobRun, Transaction> {
  readonly runs: JobRunStore<Transaction>;
}

/** `steered`: it is as was asked for, whether or not anything had to be done. */
export type SteerOutcome = 'steered' | 'notFound' | 'notUnderWay';

/** A job changes with every batch of answers; it is found still between two of them. */
const triesMax = 50;

/** Lets nobody be asked about further addresses; the hold stays. */
export function pauseJob<Transaction>(
  ports: SteerPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<SteerOutcome> {
  return steer(ports, accountId, jobId, run =>
    run.state === 'paused' ? undefined : { state: 'paused', pausedAt: ports.now(), perSecond: null },
  );
}

/** Lets a paused job go on. */
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

/** Lets a job end with what it has validated. One that has ended stays as it is. */
export async function cancelJob<Transaction>(
  ports: SteerPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<SteerOutcome> {
  const run = await ports.runs.find(jobId);
  if (run?.accountId !== accountId) {
    return 'notFound';
  }
  // One whose rows never came in has failed, and has no credits.
  if (!isUnderWay(run)) {
    return hasEnded(run) ? 'steered' : 'notUnderWay';
  }
  await cancelRun({ ...ports, enqueue: ports.runs.enqueue }, accountId, jobId);
  return 'steered';
}

async function steer<Transaction>(
  { runs }: SteerPorts<Transaction>,
  accountId: AccountId,
  jobId: ValidationJobId,
  changeOf: (run: JobRun) => JobRunChange | undefined,
): Promise<SteerOutcome> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const run = await runs.find(jobId);
    if (run?.accountId !== accountId) {
      return 'notFound';
    }
    if (!isUnderWay(run) || run.ending !== null) {
      return 'notUnderWay';
    }
    const change = changeOf(run);
    if (!change) {
      return 'steered';
    }
    if (await runs.change(run, change)) {
      await runs.enqueue(jobId);
      return 'steered';
    }
  }
  throw new Error(`Job ${jobId} changed ${triesMax} times while it was being steered.`);
}
