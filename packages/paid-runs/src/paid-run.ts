import type { AccountId, HoldId, RequestId } from '@mailproof/shared-types';

const endings = ['succeeded', 'failed', 'cancelled'] as const;

/** How a run ends. */
export type RunEnding = (typeof endings)[number];

/** Why the machinery of runs lets one fail; those who deliver may have reasons of their own. */
export type PaidRunFailure = 'credits_exhausted' | 'could_not_continue' | 'timed_out';

/** Work that is paid for as it is delivered, as it is written down. */
export interface PaidRun {
  readonly runId: string;
  readonly accountId: AccountId;
  /** A `RunEnding` from its end on; before, whatever those who deliver call it. */
  readonly state: string;
  /** What has to be held so that everything that the run may deliver can be paid. */
  readonly creditsMax: number;
  /** The number of the hold that stands, or that is about to be asked for. */
  readonly holds: number;
  readonly holdAmount: number;
  /** Null until the ledger has answered. */
  readonly holdId: HoldId | null;
  readonly holdExpiresAt: Date | null;
  /** How it is going to end, once `charge` is settled; nothing is delivered from then on. */
  readonly ending: RunEnding | null;
  readonly charge: number | null;
  readonly spent: number | null;
  readonly failedAttempts: number;
  /** Grows with every change; whoever acts on an older one has to look again. */
  readonly version: number;
  readonly requestId: RequestId | null;
  /** When it was last seen to get on. */
  readonly movedAt: Date;
}

/** What the machinery changes of a run. */
export interface RunChange {
  readonly state?: RunEnding;
  readonly holds?: number;
  readonly holdAmount?: number;
  readonly holdId?: HoldId | null;
  readonly holdExpiresAt?: Date | null;
  readonly ending?: RunEnding;
  readonly charge?: number;
  readonly failure?: PaidRunFailure;
  readonly spent?: number;
  readonly failedAttempts?: number;
  readonly endedAt?: Date;
}

/** Hashes by which a request with an `Idempotency-Key` is known again. */
export interface RequestKey {
  readonly hash: Uint8Array;
  readonly requestHash: Uint8Array;
}

export function hasEnded({ state }: Pick<PaidRun, 'state'>): boolean {
  return endings.some(ending => ending === state);
}

/** What the ledger knows a hold of a run by: the run's id, and with a number when a hold before was lost. */
export function receiptIdOf({ runId, holds }: Pick<PaidRun, 'runId' | 'holds'>): string {
  return holds === 1 ? runId : `${runId}.${holds}`;
}
