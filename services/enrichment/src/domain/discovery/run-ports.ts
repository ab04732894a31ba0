import type { AccountId, DiscoveryRunId, HoldId, RequestId, SearchKind } from '@mailproof/shared-types';
import type { Run, RunChange } from './run.ts';
import type { DeliveredRun, RunDelivery } from './run-delivery.ts';

/** Where runs are written down. */
export interface RunStore<Transaction> {
  find(runId: DiscoveryRunId): Promise<Run | undefined>;
  /**
   * Changes a run, unless it has changed since it was read: then nothing happens and the answer is false. With `ended`
   * the search learns of the end in the same step.
   */
  change(run: Run, change: RunChange): Promise<boolean>;
  /**
   * Changes a run as `work` says, which runs in the transaction of the change, on the locked run; false, without any
   * work, when the run has changed since it was read.
   */
  changeWith(run: Run, work: (transaction: Transaction) => Promise<RunChange>): Promise<boolean>;
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
export interface RunEvents {
  runStarted(run: Run): void;
  runHoldLost(run: Run): void;
  runEnded(run: Run, spent: number): void;
  /** What was delivered could not be charged in whole, since the credits were lost and the account has no more. */
  runUnpaid(run: Run, credits: number): void;
}

export interface RunPorts<Transaction> {
  readonly runs: RunStore<Transaction>;
  readonly credits: RunCredits;
  readonly deliveryOf: (kind: SearchKind) => RunDelivery<Transaction>;
  readonly events: RunEvents;
  readonly now: () => Date;
}

/** The run as those who deliver know it. */
export function deliveredRunOf({ runId, searchId, accountId, query, listId }: Run): DeliveredRun {
  return { runId, searchId, accountId, query, listId };
}
