import type { HoldId, RequestId } from '@mailproof/shared-types';
import type { Work } from './work.ts';

const endings = ['succeeded', 'failed', 'cancelled'] as const;

/** How a run ends. */
export type RunEnding = (typeof endings)[number];

/** Why the run machinery fails a run; a delivery may have other reasons. */
export type PaidRunFailure = 'credits_exhausted' | 'could_not_continue' | 'timed_out';

/** The stored state of work that is paid for as it is delivered. */
export interface PaidRun extends Work {
  readonly runId: string;
  /** A `RunEnding` once the run has ended; until then the delivery defines the states. */
  readonly state: string;
  /** The amount of a hold that covers everything that the run may deliver. */
  readonly creditsMax: number;
  /** The number of the current hold, or of the next one if there is none. */
  readonly holds: number;
  readonly holdAmount: number;
  /** Null until the ledger has answered. */
  readonly holdId: HoldId | null;
  readonly holdExpiresAt: Date | null;
  /** How the run will end once `charge` is settled; once this is set, nothing more is delivered. */
  readonly ending: RunEnding | null;
  readonly charge: number | null;
  readonly spent: number | null;
  readonly requestId: RequestId | null;
}

/** The fields of a run that the machinery changes. */
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

/** Hashes that identify a request with an `Idempotency-Key`. */
export interface RequestKey {
  readonly hash: Uint8Array;
  readonly requestHash: Uint8Array;
}

export function hasEnded({ state }: Pick<PaidRun, 'state'>): boolean {
  return endings.some(ending => ending === state);
}

/** The id by which the ledger knows a hold of a run: the run's id, with a number if an earlier hold was lost. */
export function receiptIdOf({ runId, holds }: Pick<PaidRun, 'runId' | 'holds'>): string {
  return holds === 1 ? runId : `${runId}.${holds}`;
}
