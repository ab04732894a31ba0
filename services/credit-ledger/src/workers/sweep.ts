import type { ExpiredCredits, Hold, LedgerStore } from '../domain/ledger.ts';
import type { Events } from '../events.ts';

/**
 * Sweeps at an interval. Replicas may sweep at the same time: one of them locks a hold or account and the others skip
 * it, so no queue is needed to share the work.
 */
function startSweeper(
  sweep: () => Promise<void>,
  onFailed: (error: unknown) => void,
  intervalMs: number,
): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let timer = setTimeout(run, intervalMs);

  function run(): void {
    running = sweep()
      .catch(onFailed)
      .finally(() => {
        if (!closed) {
          timer = setTimeout(run, intervalMs);
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

/** Records the expiry of due credits. They cannot be spent even before that. */
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

/** Returns the credits of expired holds. */
export function startHoldSweeper(
  store: Pick<LedgerStore, 'expireOne'>,
  events: Events,
  intervalMs: number,
): { close(): Promise<void> } {
  return startSweeper(() => sweepExpiredHolds(store, events.holdExpired), events.sweepFailed, intervalMs);
}

/** Upper bound of one sweep, so that a long backlog cannot delay shutdown. */
const sweepMax = 1_000;

/** Expires every overdue hold and reports each. */
export function sweepExpiredHolds(
  store: Pick<LedgerStore, 'expireOne'>,
  onExpired: (hold: Hold) => void,
): Promise<void> {
  return untilNone(() => store.expireOne(), onExpired);
}

/** Expires due credits, account by account, and reports each account whose credits this sweep expired. */
export function sweepExpiredCredits(
  store: Pick<LedgerStore, 'expireCredits'>,
  onExpired: (expired: ExpiredCredits) => void,
): Promise<void> {
  return untilNone(
    () => store.expireCredits(),
    expired => {
      // Zero if another sweep was faster.
      if (expired.credits > 0) {
        onExpired(expired);
      }
    },
  );
}

async function untilNone<Found>(
  next: () => Promise<Found | undefined>,
  tell: (found: Found) => void,
): Promise<void> {
  for (let count = 0; count < sweepMax; count += 1) {
    const found = await next();
    if (found === undefined) {
      return;
    }
    tell(found);
  }
}
