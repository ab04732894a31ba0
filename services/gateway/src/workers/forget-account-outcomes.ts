import type { forgetAccountOutcomesJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AccountSharesPort, DeletionStore } from '../domain/accounts/delete-account.ts';

/** Lets the engine forget, portion by portion, what a deleted account reported. */
export function forgetAccountOutcomesHandler(
  { forgetOutcomes }: Pick<AccountSharesPort, 'forgetOutcomes'>,
  { markDone }: Pick<DeletionStore, 'markDone'>,
  now: () => Date,
) {
  return async ({ accountId }: z.output<typeof forgetAccountOutcomesJob.payload>): Promise<void> => {
    while (await forgetOutcomes(accountId)) {
      // Each portion deletes rows, and nobody can add any, so there is a last one.
    }
    await markDone(accountId, 'outcomes_forgotten', now());
  };
}
