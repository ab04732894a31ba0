import type { LedgerStore } from '../domain/ledger.ts';
import { sweepExpiredHolds } from '../domain/sweep.ts';
import type { Events } from '../events.ts';

/**
 * Sweeps at an interval. Replicas may sweep at once: each hold is locked by one of them and skipped by the others, so
 * no queue is needed to share the work.
 */
export function startHoldSweeper(
  store: LedgerStore,
  events: Events,
  intervalMs: number,
): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let timer = setTimeout(sweep, intervalMs);

  function sweep(): void {
    running = sweepExpiredHolds(store, events.holdExpired)
      .catch(events.sweepFailed)
      .finally(() => {
        if (!closed) {
          timer = setTimeout(sweep, intervalMs);
        }
      });
  }

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
