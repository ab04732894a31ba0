import { type Recurring, startRecurring } from '@mailproof/service-kit';
import type { BillingStore } from '../domain/billing/billing-store.ts';
import { type RenewalOptions, renewDueAccounts } from '../domain/billing/renew-due-accounts.ts';

export interface RenewerOptions extends RenewalOptions {
  /** Time between two rounds, in milliseconds. */
  readonly intervalMs: number;
  readonly onRoundFailed: (error: unknown) => void;
}

/**
 * Renews accounts at an interval. Replicas may run at the same time: one of them locks an account and the others skip
 * it, so no queue is needed to share the work.
 */
export function startRenewer(
  store: Pick<BillingStore, 'due' | 'changeDue'>,
  options: RenewerOptions,
): Recurring {
  const { intervalMs: everyMs, onRoundFailed: onFailed } = options;
  return startRecurring({ everyMs, work: () => renewDueAccounts(store, options), onFailed });
}
