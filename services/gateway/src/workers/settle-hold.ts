import type { settleHoldJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { CreditPort } from '../domain/charging/credit-port.ts';

/** Settles a hold that the previous release recorded. An expired hold charges nothing and also ends the job. */
export function settleHoldHandler(credits: Pick<CreditPort, 'settle'>) {
  return async ({ holdId, delivered }: z.output<typeof settleHoldJob.payload>): Promise<void> => {
    await credits.settle(holdId, delivered);
  };
}
