import type { grantCreditsJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { CreditPort } from '../domain/charging/credit-port.ts';

/** Carries out a grant; the ledger counts each grant id once, so a rerun is safe. */
export function grantCreditsHandler(credits: Pick<CreditPort, 'grant'>) {
  return (payload: z.output<typeof grantCreditsJob.payload>): Promise<void> => credits.grant(payload);
}
