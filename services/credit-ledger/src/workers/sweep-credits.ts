import type { LedgerStore } from '../domain/ledger.ts';
import { sweepExpiredCredits } from '../domain/sweep.ts';
import type { Events } from '../events.ts';
import { startSweeper } from './start-sweeper.ts';

/** Enters the expiry of credits whose time is over. Nobody can spend them before that either. */
export function startCreditSweeper(
  store: Pick<LedgerStore, 'expireCredits'>,
  events: Events,
  intervalMs: number,
): { close(): Promise<void> } {
  return startSweeper(
    () => sweepExpiredCredits(store, events.creditsExpired),
    events.sweepFailed,
    intervalMs,
  );
}
