import { type Recurring, startRecurring } from '@mailproof/service-kit';
import type { IdempotencyStore } from '../domain/charging/idempotency.ts';

const everyMs = 60_000;

/** Upper bound of one round, so that a long backlog cannot delay shutdown. */
const sweepsMax = 100;

/** Removes expired answers, so that no address is stored longer than promised to the customer. */
export function startIdempotencySweep(
  records: Pick<IdempotencyStore, 'sweep'>,
  onFailed: (error: unknown) => void,
): Recurring {
  return startRecurring({ everyMs, work: () => sweepAll(records), onFailed });
}

async function sweepAll(records: Pick<IdempotencyStore, 'sweep'>): Promise<void> {
  for (let sweeps = 0; sweeps < sweepsMax && (await records.sweep()) > 0; sweeps += 1) {
    // A sweep that found records may have left more.
  }
}
