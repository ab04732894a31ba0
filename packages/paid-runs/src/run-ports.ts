import type { AccountId, HoldId, RequestId } from '@mailproof/shared-types';
import type { PaidRun, RunChange } from './paid-run.ts';

/** Where runs are written down. */
export interface RunStore<Run extends PaidRun, Transaction> {
  find(runId: Run['runId']): Promise<Run | undefined>;
  /** Changes a run, unless it has changed since it was read: then nothing happens and the answer is false. */
  change(run: Run, change: RunChange): Promise<boolean>;
  /**
   * Changes a run as `work` says, which runs in the transaction of the change, on the locked run; false, without any
   * work, when the run has changed since it was read.
   */
  changeWith(run: Run, work: (transaction: Transaction) => Promise<RunChange>): Promise<boolean>;
}

/**
 * What became of one step of a delivery. `more`: there is something left to do now. `rests`: there is nothing to do for
 * a while, and whoever says so has arranged for the run to be taken up again.
 */
export type Delivered = 'more' | 'rests';

/** What a run has to pay, with whatever else its record says of it. */
export type RunTally = RunChange & { readonly charge: number };

/** What runs are paid for. */
export interface RunWork<Run extends PaidRun, Transaction> {
  /** The operation that started the run, as the ledger's cause. */
  causeOf(run: Run): string;
  /**
   * Takes the delivery one step further, while the hold stands. Whatever becomes durable must do so only where the run
   * has no `ending` yet; the step that delivers the last of it begins the ending (`endingOf`).
   */
  deliver(run: Run): Promise<Delivered>;
  /** Counts what the run has to pay from the rows that name it, in the transaction that writes the charge down. */
  tally(run: Run, transaction: Transaction): Promise<RunTally>;
}

export type HoldOutcome =
  | { readonly kind: 'held'; readonly holdId: HoldId; readonly expiresAt: Date }
  | { readonly kind: 'refused'; readonly available: number }
  /** There was a hold of this id that does not stand any more, or that is of another amount. */
  | { readonly kind: 'over' };

/** What the ledger does for runs. Whatever it cannot answer now is thrown, and changes nothing that cannot be asked again. */
export interface RunCredits {
  /** Idempotent by `receiptId`. */
  hold(request: {
    readonly accountId: AccountId;
    readonly receiptId: string;
    readonly amount: number;
    readonly cause: string;
    readonly requestId: RequestId | null;
    readonly expiresInMs: number;
  }): Promise<HoldOutcome>;
  /** `lost`: the hold does not stand any more. */
  renew(holdId: HoldId, expiresInMs: number): Promise<{ readonly expiresAt: Date } | 'lost'>;
  /** Idempotent. `lost`: the hold expired or was released, so that nothing was charged. */
  settle(holdId: HoldId, amount: number): Promise<'settled' | 'lost'>;
  /** Whatever became of the hold, it does not stand afterwards. */
  release(holdId: HoldId): Promise<void>;
}

/** What happens to runs, told as it happens. */
export interface RunEvents<Run extends PaidRun> {
  runStarted(run: Run): void;
  runHoldLost(run: Run): void;
  runEnded(run: Run, spent: number): void;
  /** What was delivered could not be charged in whole, since the credits were lost and the account has no more. */
  runUnpaid(run: Run, credits: number): void;
}

export interface RunPorts<Run extends PaidRun, Transaction> {
  readonly runs: RunStore<Run, Transaction>;
  readonly credits: RunCredits;
  readonly work: RunWork<Run, Transaction>;
  readonly events: RunEvents<Run>;
  readonly now: () => Date;
}
