import type { Handlers } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { Events } from '../events.ts';

/** Closes a deleted account’s credits. */
export function closeAccountHandlers(close: (accountId: AccountId) => Promise<number>, events: Events) {
  return {
    async closeAccountCredits({ body: { accountId } }) {
      const expired = await close(accountId);
      events.accountClosed(accountId, expired);
      return { accountId, expired };
    },
  } satisfies Partial<Handlers<'credit-ledger'>>;
}
