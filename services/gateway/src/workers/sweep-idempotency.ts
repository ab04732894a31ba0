import { type Recurring, startRecurring } from '@mailproof/service-kit';
import type { IdempotencyStore } from '../domain/charging/idempotency.ts';

const everyMs = 60_000;

/** Upper bound of one round, so that a long backlog cannot keep it from being stopped. */
const sweepsMax = 100;

/** Removes answers whose time is over, so that no address is kept for longer than its customer was told. */
export function startIdempotencySweep(
  records: Pick<IdempotencyStore, 'sweep'>,
  onFailed: (error: unknown) => void,
): Recurring {
  return startRecurring({ everyMs, work: () => sweepAll(records), onFailed });
}

async function sweepAll(records: Pick<IdempotencyStore, 'sweep'>): Promise<void> {
  for (let sweeps = 0; sweeps < sweepsMax && (await records.sweep()) > 0; sweeps += 1) {
    // One that found something may have left some.
  }
}
