import type { closeAccountCreditsJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AccountSharesPort, DeletionStore } from '../domain/accounts/delete-account.ts';

/** Lets the credits of a deleted account expire. */
export function closeAccountCreditsHandler(
  { closeCredits }: Pick<AccountSharesPort, 'closeCredits'>,
  { markDone }: Pick<DeletionStore, 'markDone'>,
  now: () => Date,
) {
  return async ({ accountId }: z.output<typeof closeAccountCreditsJob.payload>): Promise<void> => {
    await closeCredits(accountId);
    await markDone(accountId, 'credits_closed', now());
  };
}
