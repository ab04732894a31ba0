import { type Recurring, startRecurring } from '@mailproof/service-kit';
import type { BillingStore } from '../domain/billing/billing-store.ts';
import { type RenewalOptions, renewDueAccounts } from '../domain/billing/renew-due-accounts.ts';
import type { IdempotencyStore } from '../domain/charging/idempotency.ts';

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

const sweepEveryMs = 60_000;

/** Upper bound of one round, so that a long backlog cannot delay shutdown. */
const sweepsMax = 100;

/** Removes expired answers, so that no address is stored longer than promised to the customer. */
export function startIdempotencySweep(
  records: Pick<IdempotencyStore, 'sweep'>,
  onFailed: (error: unknown) => void,
): Recurring {
  return startRecurring({ everyMs: sweepEveryMs, work: () => sweepAll(records), onFailed });
}

async function sweepAll(records: Pick<IdempotencyStore, 'sweep'>): Promise<void> {
  for (let sweeps = 0; sweeps < sweepsMax && (await records.sweep()) > 0; sweeps += 1) {
    // A sweep that found records may have left more.
  }
}
