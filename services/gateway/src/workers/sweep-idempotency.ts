import type { IdempotencyStore } from '../domain/idempotency.ts';

const intervalMs = 60_000;
/** Upper bound of one sweep, so that a long backlog cannot keep it from being stopped. */
const roundsMax = 100;

/** Removes answers whose time is over, so that no address is kept for longer than its customer was told. */
export function startIdempotencySweep(
  records: Pick<IdempotencyStore, 'sweep'>,
  onFailure: (error: unknown) => void,
): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(() => sweepAll(records)).catch(onFailure);
  }, intervalMs);
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}

async function sweepAll(records: Pick<IdempotencyStore, 'sweep'>): Promise<void> {
  for (let rounds = 0; rounds < roundsMax && (await records.sweep()) > 0; rounds += 1) {
    // A round that found something may have left some.
  }
}
