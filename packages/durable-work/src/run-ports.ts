import type { AccountId, HoldId, RequestId } from '@mailproof/shared-types';
import type { PaidRun, RunChange } from './paid-run.ts';
import type { Advance, NextJob, WorkStore } from './work.ts';

/** Where runs are stored. */
export interface RunStore<Run extends PaidRun, Transaction, Change = RunChange>
  extends Pick<WorkStore<Run['runId'], Run, Change, never>, 'find' | 'change'> {
  /** Applies the change that `work` returns; `work` runs in the same transaction, with the run locked. */
  changeWith(
    run: Run,
    work: (transaction: Transaction) => Promise<Change>,
    nextJob?: NextJob,
  ): Promise<Run | undefined>;
}

/** The charge of a run, with the other changes of its record. */
export type RunTally = RunChange & { readonly charge: number };

/** The work that runs are paid for. */
export interface RunWork<Run extends PaidRun, Transaction> {
  /** The operation that started the run, as the ledger's cause. */
  causeOf(run: Run): string;
  /**
   * Advances the delivery by one step while the hold is pending. A step may store results only if the run has no
   * `ending` yet; the step that delivers the last results starts the ending (`endingOf`).
   */
  deliver(run: Run): Promise<Exclude<Advance, 'ended'>>;
  /** Counts the charge of the run from the rows that name it, in the transaction that stores the charge. */
  tally(run: Run, transaction: Transaction): Promise<RunTally>;
}

export type HoldOutcome =
  | { readonly kind: 'held'; readonly holdId: HoldId; readonly expiresAt: Date }
  | { readonly kind: 'refused'; readonly available: number }
  /** A hold with this id has ended, or has another amount. */
  | { readonly kind: 'over' };

/** The operations of the ledger for runs. If the ledger cannot answer now, a call throws and can be repeated safely. */
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
  /** `lost`: the hold has ended. */
  renew(holdId: HoldId, expiresInMs: number): Promise<{ readonly expiresAt: Date } | 'lost'>;
  /** Idempotent. `lost`: the hold expired or was released, so that nothing was charged. */
  settle(holdId: HoldId, amount: number): Promise<'settled' | 'lost'>;
  /** Idempotent. The hold is not pending any more when this resolves. */
  release(holdId: HoldId): Promise<void>;
}

export interface RunEvents<Run extends PaidRun> {
  runStarted(run: Run): void;
  runHoldLost(run: Run): void;
  runEnded(run: Run, spent: number): void;
  /**
   * The delivered results could not be charged in full, because the hold was lost and the account has too few credits.
   */
  runUnpaid(run: Run, credits: number): void;
}

export interface RunPorts<Run extends PaidRun, Transaction> {
  readonly runs: RunStore<Run, Transaction>;
  readonly credits: RunCredits;
  readonly work: RunWork<Run, Transaction>;
  readonly events: RunEvents<Run>;
  readonly now: () => Date;
}
