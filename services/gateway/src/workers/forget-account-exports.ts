import type { forgetAccountExportsJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AccountSharesPort, DeletionStore } from '../domain/accounts/delete-account.ts';

/** Lets the webhook dispatcher end and forget, portion by portion, the exports of a deleted account. */
export function forgetAccountExportsHandler(
  { forgetExports }: Pick<AccountSharesPort, 'forgetExports'>,
  { markDone }: Pick<DeletionStore, 'markDone'>,
  now: () => Date,
) {
  return async ({ accountId }: z.output<typeof forgetAccountExportsJob.payload>): Promise<void> => {
    while (await forgetExports(accountId)) {
      // Each portion deletes exports, and nobody can add any, so there is a last one.
    }
    await markDone(accountId, 'exports_forgotten', now());
  };
}
