import type { AccountId } from '@mailproof/shared-types';
import { renew } from './billing.ts';
import type { BillingChange, BillingStore } from './billing-store.ts';

export interface RenewalOptions {
  readonly now: () => Date;
  /** The length of the grace period, in days. */
  readonly graceDays: number;
  readonly onRenewed: (accountId: AccountId, change: BillingChange) => void;
  readonly onFailed: (accountId: AccountId, error: unknown) => void;
}

/** Upper bound of one round, so that a long backlog cannot delay shutdown. */
const roundMax = 1_000;

/** Renews every account whose cycle has ended, and lapses unpaid ones. A failed account does not stop the others. */
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
