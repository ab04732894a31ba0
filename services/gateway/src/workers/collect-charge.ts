import type { collectChargeJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { settleForRun } from '../domain/charging/charge.ts';
import type { CreditPort } from '../domain/charging/credit-port.ts';

/** Collects a charge whose settlement is outstanding. */
export function collectChargeHandler(credits: Pick<CreditPort, 'settle' | 'reserve' | 'release'>) {
  return (charge: z.output<typeof collectChargeJob.payload>): Promise<void> => settleForRun(credits, charge);
}
