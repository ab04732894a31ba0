import { type OutboxWorkOptions, outboxJob, startOutboxWork } from '@mailproof/service-kit';
import { forgetVerdictsJob, retryProbeJob } from '@mailproof/shared-types';
import type { ForgetPorts } from '../domain/outcomes/forget-verdicts.ts';
import type { RetryPorts } from '../domain/retry-probe.ts';
import { forgetVerdictsHandler } from './forget-verdicts.ts';
import { startOutcomePurge } from './purge-outcomes.ts';
import { retryProbeHandler } from './retry-probe.ts';

const retriesAtOnceMax = 5;

const forgettingAtOnceMax = 2;
const purgeIntervalMs = 3_600_000;

export interface BackgroundWork {
  readonly retry: RetryPorts;
  readonly forget: ForgetPorts;
  readonly purge: (rowsMax: number) => Promise<number>;
  readonly onPurgeFailed: (error: unknown) => void;
}

/** Starts everything that the engine does behind its answers: asking greylisting hosts again, and forgetting. */
export function startBackgroundWork(options: OutboxWorkOptions & BackgroundWork): { close(): Promise<void> } {
  const outbox = startOutboxWork(options, [
    outboxJob(retryProbeJob, retriesAtOnceMax, retryProbeHandler(options.retry)),
    outboxJob(forgetVerdictsJob, forgettingAtOnceMax, forgetVerdictsHandler(options.forget)),
  ]);
  const purge = startOutcomePurge(options.purge, options.onPurgeFailed, purgeIntervalMs);
  return {
    async close() {
      await Promise.all([outbox.close(), purge.close()]);
    },
  };
}
