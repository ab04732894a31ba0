import type { forgetAccountAssistantsJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AccountSharesPort, DeletionStore } from '../domain/accounts/delete-account.ts';

/** Lets the tool server forget the assistants of a deleted account. */
export function forgetAccountAssistantsHandler(
  { forgetAssistants }: Pick<AccountSharesPort, 'forgetAssistants'>,
  { markDone }: Pick<DeletionStore, 'markDone'>,
  now: () => Date,
) {
  return async ({ accountId }: z.output<typeof forgetAccountAssistantsJob.payload>): Promise<void> => {
    await forgetAssistants(accountId);
    await markDone(accountId, 'assistants_forgotten', now());
  };
}
