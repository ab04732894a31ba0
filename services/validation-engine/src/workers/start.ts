import { setTimeout as wait } from 'node:timers/promises';
import {
  type OutboxJob,
  type OutboxWorkOptions,
  outboxJob,
  startOutboxWork,
} from '@mailproof/service-kit/jobs';
import { forgetVerdictsJob, retryProbeJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { type ForgetPorts, forgetVerdicts } from '../domain/outcomes/record-outcomes.ts';
import { type RetryPorts, retryProbe } from '../domain/validation/retry-probe.ts';

const retriesAtOnceMax = 5;
const forgettingAtOnceMax = 2;
const purgeIntervalMs = 3_600_000;

export interface BackgroundWork {
  readonly retry: RetryPorts;
  readonly forget: ForgetPorts;
  /** Each deletes at most `rowsMax` expired rows, and returns how many it deleted. */
  readonly purges: readonly ((rowsMax: number) => Promise<number>)[];
  readonly onPurgeFailed: (error: unknown) => void;
  /** Additional jobs from the outbox. */
  readonly jobs: readonly OutboxJob[];
}

/** Starts all background work of the engine: asking greylisting hosts again, and forgetting. */
export function startBackgroundWork(options: OutboxWorkOptions & BackgroundWork): { close(): Promise<void> } {
  const outbox = startOutboxWork(options, [
    outboxJob(retryProbeJob, retriesAtOnceMax, retryProbeHandler(options.retry)),
    outboxJob(forgetVerdictsJob, forgettingAtOnceMax, forgetVerdictsHandler(options.forget)),
    ...options.jobs,
  ]);
  const purges = options.purges.map(purge => startPurge(purge, options.onPurgeFailed, purgeIntervalMs));
  return {
    async close() {
      await Promise.all([outbox, ...purges].map(work => work.close()));
    },
  };
}

/** Forgets verdicts that outcomes have made obsolete. */
function forgetVerdictsHandler(ports: ForgetPorts) {
  return ({ outcomeReportId }: z.output<typeof forgetVerdictsJob.payload>): Promise<void> =>
    forgetVerdicts(ports, outcomeReportId);
}

/** Probes an address again that a greylist deferred. */
function retryProbeHandler(ports: RetryPorts) {
  return ({ deferredProbeId }: z.output<typeof retryProbeJob.payload>): Promise<void> =>
    retryProbe(ports, deferredProbeId);
}

/** How many rows one statement deletes, so that its locks are short. */
const rowsMax = 5_000;

/** Soon, because a process may not live for a whole interval, but not during startup. */
const firstAfterMs = 60_000;

/**
 * Deletes rows past their retention at an interval. Replicas may do so at the same time: each row is deleted by one of
 * them.
 */
function startPurge(
  purge: (rowsMax: number) => Promise<number>,
  onFailed: (error: unknown) => void,
  intervalMs: number,
): { close(): Promise<void> } {
  const closing = new AbortController();
  const pause = (ms: number) => wait(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  async function run(): Promise<void> {
    await pause(firstAfterMs);
    while (!closing.signal.aborted) {
      const deleted = await purge(rowsMax).catch(error => {
        onFailed(error);
        return 0;
      });
      if (deleted < rowsMax) {
        await pause(intervalMs);
      }
    }
  }
  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}
