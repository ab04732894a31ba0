import type { retryProbeJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { type RetryPorts, retryProbe } from '../domain/retry-probe.ts';

/** Asks about an address again that a greylist deferred. */
export function retryProbeHandler(ports: RetryPorts) {
  return ({ deferredProbeId }: z.output<typeof retryProbeJob.payload>): Promise<void> =>
    retryProbe(ports, deferredProbeId);
}
