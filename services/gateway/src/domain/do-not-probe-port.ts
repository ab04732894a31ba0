import type { DoNotProbeRecorded, OperationInput, requestDoNotProbe } from '@mailproof/shared-types';

export type DoNotProbeRequest = OperationInput<typeof requestDoNotProbe>['body'];

/** Takes requests of mail hosts' owners to the service that probes. */
export interface DoNotProbePort {
  recordDoNotProbe(request: DoNotProbeRequest, signal: AbortSignal): Promise<DoNotProbeRecorded>;
}
