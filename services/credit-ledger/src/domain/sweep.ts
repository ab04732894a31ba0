import type { ExpiredCredits, Hold, LedgerStore } from './ledger.ts';

/** Upper bound of one sweep, so that a long backlog cannot keep it from being stopped. */
const sweepMax = 1_000;

/** Expires every hold whose time has run out and tells of each. */
export function sweepExpiredHolds(
  store: Pick<LedgerStore, 'expireOne'>,
  onExpired: (hold: Hold) => void,
): Promise<void> {
  return untilNone(() => store.expireOne(), onExpired);
}

/** Expires the credits whose time is over, account by account, and tells of each. */
export function sweepExpiredCredits(
  store: Pick<LedgerStore, 'expireCredits'>,
  onExpired: (expired: ExpiredCredits) => void,
): Promise<void> {
  return untilNone(() => store.expireCredits(), onExpired);
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
