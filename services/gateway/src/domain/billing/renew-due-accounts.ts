import type { AccountId } from '@mailproof/shared-types';
import { renew } from './billing.ts';
import type { BillingChange, BillingStore } from './billing-store.ts';

export interface RenewalOptions {
  readonly now: () => Date;
  /** Days for which a plan goes on although its payment is missing. */
  readonly graceDays: number;
  readonly onRenewed: (accountId: AccountId, change: BillingChange) => void;
  readonly onFailed: (accountId: AccountId, error: unknown) => void;
}

/** Upper bound of one round, so that a long backlog cannot keep it from being stopped. */
const roundMax = 1_000;

/** Renews every account whose cycle is over, and lapses those whose payment stayed away. One that fails stops no other. */
export async function renewDueAccounts(
  store: Pick<BillingStore, 'due' | 'changeDue'>,
  options: RenewalOptions,
): Promise<void> {
  const now = options.now();
  for (const accountId of await store.due(now, roundMax)) {
    try {
      const change = await store.changeDue(accountId, billing => renew(billing, now, options.graceDays), {
        now,
        graceDays: options.graceDays,
      });
      if (change) {
        options.onRenewed(accountId, change);
      }
    } catch (error) {
      options.onFailed(accountId, error);
    }
  }
}
