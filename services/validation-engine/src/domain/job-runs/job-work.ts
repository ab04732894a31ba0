import { endingOf, type RunWork } from '@mailproof/durable-work';
import { limits } from '@mailproof/shared-types';
import { divideIntoChunks, type FindMailHost } from './address-chunks.ts';
import { type JobRun, startCause } from './job-run.ts';
import type { JobAddresses, JobRunStore } from './job-run-store.ts';
import type { Probing } from './probing.ts';

export interface JobWorkPorts<Transaction> {
  readonly runs: JobRunStore<Transaction>;
  readonly addresses: JobAddresses<Transaction>;
  readonly findMailHost: FindMailHost;
  readonly now: () => Date;
}

/** The worker that currently processes a job. */
export interface Carrier {
  readonly name: string;
  readonly probing: Probing;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/** The longest time between two checks of an idle job, in milliseconds, so that its hold is renewed in time. */
const restMsMax = 600_000;
const dayMs = 86_400_000;

/** Counts what a job has to pay, and names the operation that started it. */
export function createJobTally<Transaction>(
  addresses: Pick<JobAddresses<Transaction>, 'countCharged'>,
): Pick<RunWork<JobRun, Transaction>, 'causeOf' | 'tally'> {
  return {
    causeOf: () => startCause,
    tally: async (run, transaction) => ({
      charge: (await addresses.countCharged(transaction, run)) * run.price,
    }),
  };
}

/** The work that jobs pay for: an answer about each address, asked in parallel, and again if hosts ask us to wait. */
export function createJobWork<Transaction>(
  ports: JobWorkPorts<Transaction>,
  carrier: Carrier,
): RunWork<JobRun, Transaction> {
  const { runs, addresses, now } = ports;
  const work: RunWork<JobRun, Transaction> = {
    ...createJobTally(addresses),
    async deliver(run) {
      if (run.carrier !== carrier.name) {
        // Another process has taken the job.
        return 'waits';
      }
      if (run.state === 'paused') {
        return restPaused(run);
      }
      if (run.startedAt === null) {
        await runs.change(run, { state: 'running', startedAt: now(), movedAt: now() });
        return 'more';
      }
      if (run.chunks === null) {
        await divide(ports, run, carrier.stopping);
        return 'more';
      }
      return (await carrier.probing.advance(run)) ? 'more' : endOrRest(run);
    },
  };

  async function restPaused(run: JobRun): Promise<'more' | 'waits'> {
    const pausedMs = now().getTime() - (run.pausedAt ?? now()).getTime();
    if (pausedMs > limits.jobPausedDaysMax * dayMs) {
      await runs.changeWith(run, async transaction => ({
        ...(await endingOf({ work }, run, transaction, 'failed')),
        failure: 'paused_too_long',
      }));
      return 'more';
    }
    return rest(run, restMsMax);
  }

  async function endOrRest(run: JobRun): Promise<'more' | 'waits'> {
    const nextAt = await addresses.nextAt(run, now());
    if (nextAt === undefined) {
      await runs.changeWith(run, transaction => endingOf({ work }, run, transaction, 'succeeded'));
      return 'more';
    }
    if (nextAt <= now()) {
      return 'more';
    }
    return rest(run, Math.min(restMsMax, nextAt.getTime() - now().getTime()));
  }

  async function rest(run: JobRun, ms: number): Promise<'more' | 'waits'> {
    // Standing still is not a fault here.
    const rested = await runs.change(run, { movedAt: now(), perSecond: null }, { waitMs: ms });
    return rested ? 'waits' : 'more';
  }

  return work;
}

async function divide<Transaction>(
  { runs, addresses, findMailHost, now }: JobWorkPorts<Transaction>,
  run: JobRun,
  stopping: AbortSignal,
): Promise<void> {
  const chunked = await divideIntoChunks(await addresses.list(run), findMailHost, stopping);
  // Lookups take time; changes made meanwhile, such as a pause, must be kept.
  const current = await runs.find(run.runId);
  if (current?.chunks === null && current.ending === null) {
    await runs.changeWith(current, async transaction => {
      await addresses.assignChunks(transaction, current, chunked);
      return { chunks: chunked.at(-1)?.chunkNo ?? 0, movedAt: now() };
    });
  }
}
