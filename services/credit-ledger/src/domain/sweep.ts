import type { Hold, LedgerStore } from './ledger.ts';

/** Upper bound of one sweep, so that a long backlog cannot keep it from being stopped. */
const sweepMax = 1_000;

/** Expires every hold whose time has run out and tells of each. */
export async function sweepExpiredHolds(store: LedgerStore, onExpired: (hold: Hold) => void): Promise<void> {
  for (let count = 0; count < sweepMax; count += 1) {
    const hold = await store.expireOne();
    if (!hold) {
      return;
    }
    onExpired(hold);
  }
}
