import type { forgetAccountProfilesJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AccountSharesPort, DeletionStore } from '../domain/accounts/delete-account.ts';

/** Lets the enrichment service end the runs of a deleted account and forget, portion by portion, what it saved. */
export function forgetAccountProfilesHandler(
  { forgetProfiles }: Pick<AccountSharesPort, 'forgetProfiles'>,
  { markDone }: Pick<DeletionStore, 'markDone'>,
  now: () => Date,
) {
  return async ({ accountId }: z.output<typeof forgetAccountProfilesJob.payload>): Promise<void> => {
    while (await forgetProfiles(accountId)) {
      // Each portion ends a run or deletes rows, and nobody can add any, so there is a last one.
    }
    await markDone(accountId, 'profiles_forgotten', now());
  };
}
