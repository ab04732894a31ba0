import type { openBillingCycleJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { CyclePort } from '../domain/charging/credit-port.ts';

/** Opens a cycle in the ledger, which counts it once per account and start, so a rerun is safe. */
export function openBillingCycleHandler(credits: CyclePort) {
  return (payload: z.output<typeof openBillingCycleJob.payload>): Promise<void> => credits.openCycle(payload);
}
