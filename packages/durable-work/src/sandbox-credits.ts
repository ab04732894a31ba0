import { type HoldId, isSandboxAccount } from '@mailproof/shared-types';
import type { RunCredits } from './run-ports.ts';

/** The hold of every run of the sandbox: nothing is reserved, and the ledger is not asked. */
const sandboxHold = `hold_${'0'.repeat(32)}` as HoldId;
/** Longer than a run can be paused, in milliseconds, so that it is never renewed. */
const holdMs = 30 * 86_400_000;

/** Runs of the sandbox cost nothing: its account is unknown to the ledger (ADR 0073). */
export function withSandboxCredits(credits: RunCredits, now: () => Date): RunCredits {
  const expiresAt = () => new Date(now().getTime() + holdMs);
  return {
    hold: async request =>
      isSandboxAccount(request.accountId)
        ? { kind: 'held', holdId: sandboxHold, expiresAt: expiresAt() }
        : credits.hold(request),
    renew: async (holdId, expiresInMs) =>
      holdId === sandboxHold ? { expiresAt: expiresAt() } : credits.renew(holdId, expiresInMs),
    settle: async (holdId, amount) => (holdId === sandboxHold ? 'settled' : credits.settle(holdId, amount)),
    release: async holdId => (holdId === sandboxHold ? undefined : credits.release(holdId)),
  };
}
