import type { HoldId } from '@mailproof/shared-types';
import { type PaidRun, receiptIdOf } from './paid-run.ts';
import type { HoldOutcome, RunCredits } from './run-ports.ts';

/** The hold of a run that is about to start, with its number. */
export interface StartHold {
  readonly kind: 'held';
  readonly holds: number;
  readonly holdId: HoldId;
  readonly expiresAt: Date;
}

/**
 * The first hold is for a short time: whoever dies between it and the note of it leaves credits held that long, and the
 * run's first step renews it. In milliseconds.
 */
const startHoldMs = 600_000;
/** Holds that attempts to start the run may have left, which died or were refused after they had made one. */
const startHoldsMax = 20;

/** Reserves the credits of a run ahead of its start. `over`: so many attempts have left holds that no further one is made. */
export async function holdToStart(
  credits: Pick<RunCredits, 'hold'>,
  run: Pick<PaidRun, 'runId' | 'accountId' | 'requestId'> & {
    readonly amount: number;
    readonly cause: string;
  },
): Promise<StartHold | Exclude<HoldOutcome, { kind: 'held' }>> {
  const { runId, accountId, requestId, amount, cause } = run;
  for (let holds = 1; holds <= startHoldsMax; holds += 1) {
    const receiptId = receiptIdOf({ runId, holds });
    const outcome = await credits.hold({
      accountId,
      receiptId,
      amount,
      cause,
      requestId,
      expiresInMs: startHoldMs,
    });
    if (outcome.kind !== 'over') {
      return outcome.kind === 'held' ? { ...outcome, holds } : outcome;
    }
  }
  return { kind: 'over' };
}
