import { type OutboxJob, type OutboxWorkOptions, outboxJob, startOutboxWork } from '@mailproof/service-kit';
import { forgetVerdictsJob, retryProbeJob } from '@mailproof/shared-types';
import type { ForgetPorts } from '../domain/outcomes/forget-verdicts.ts';
import type { RetryPorts } from '../domain/retry-probe.ts';
import { forgetVerdictsHandler } from './forget-verdicts.ts';
import { startPurge } from './purge-old-rows.ts';
import { retryProbeHandler } from './retry-probe.ts';

const retriesAtOnceMax = 5;

const forgettingAtOnceMax = 2;
const purgeIntervalMs = 3_600_000;

export interface BackgroundWork {
  readonly retry: RetryPorts;
  readonly forget: ForgetPorts;
  /** Each deletes at most so many rows that are too old, and tells how many they were. */
  readonly purges: readonly ((rowsMax: number) => Promise<number>)[];
  readonly onPurgeFailed: (error: unknown) => void;
  /** Further work that comes through the outbox. */
  readonly jobs: readonly OutboxJob[];
}

/** Starts everything that the engine does behind its answers: asking greylisting hosts again, and forgetting. */
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
