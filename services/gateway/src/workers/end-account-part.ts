import type { AccountId } from '@mailproof/shared-types';
import type { DeletionPart, DeletionStore, EndPortion } from '../domain/accounts/delete-account.ts';

/** Has another service do its part of a deletion, portion by portion. */
export function endAccountPartHandler(
  part: DeletionPart,
  endPortion: EndPortion,
  { markDone }: Pick<DeletionStore, 'markDone'>,
  now: () => Date,
) {
  return async ({ accountId }: { readonly accountId: AccountId }): Promise<void> => {
    while (await endPortion(accountId)) {
      // Each portion ends or deletes something, and nothing can be added, so this terminates.
    }
    await markDone(accountId, part, now());
  };
}
