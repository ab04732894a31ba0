import type { LedgerStore } from '../domain/ledger.ts';
import { sweepExpiredHolds } from '../domain/sweep.ts';
import type { Events } from '../events.ts';
import { startSweeper } from './start-sweeper.ts';

/** Gives back the credits of holds whose time has run out. */
export function startHoldSweeper(
  store: Pick<LedgerStore, 'expireOne'>,
  events: Events,
  intervalMs: number,
): { close(): Promise<void> } {
  return startSweeper(() => sweepExpiredHolds(store, events.holdExpired), events.sweepFailed, intervalMs);
}
