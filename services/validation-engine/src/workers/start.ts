import { type OutboxWorkOptions, outboxJob, startOutboxWork } from '@mailproof/service-kit';
import { retryProbeJob } from '@mailproof/shared-types';
import type { RetryPorts } from '../domain/retry-probe.ts';
import { retryProbeHandler } from './retry-probe.ts';

const retriesAtOnceMax = 5;

/** Starts everything that the engine does behind its answers: asking greylisting hosts again. */
export function startBackgroundWork(options: OutboxWorkOptions & { readonly retry: RetryPorts }): {
  close(): Promise<void>;
} {
  return startOutboxWork(options, [
    outboxJob(retryProbeJob, retriesAtOnceMax, retryProbeHandler(options.retry)),
  ]);
}
