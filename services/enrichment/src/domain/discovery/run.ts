import type {
  AccountId,
  HoldId,
  RequestId,
  RunFailure,
  RunState,
  SearchKind,
  UserId,
} from '@mailproof/shared-types';
import type { DeliveredRun } from './run-delivery.ts';

/** How a run ends. */
export type RunEnding = 'succeeded' | 'failed' | 'cancelled';

/** A paid run of a search, as it is written down. */
export interface Run extends DeliveredRun {
  readonly accountId: AccountId;
  readonly kind: SearchKind;
  readonly state: RunState;
  readonly requested: number;
  /** Credits for each delivered record. */
  readonly price: number;
  /** The number of the hold that stands, or that is about to be asked for. */
  readonly holds: number;
  readonly holdAmount: number;
  /** Null until the ledger has answered. */
  readonly holdId: HoldId | null;
  readonly holdExpiresAt: Date | null;
  readonly position: string | null;
  readonly delivered: number;
  /** How it is going to end, once `charge` is settled; nothing is delivered from then on. */
  readonly ending: RunEnding | null;
  readonly charge: number | null;
  readonly failure: RunFailure | null;
  readonly hasMore: boolean | null;
  readonly spent: number | null;
  readonly failedAttempts: number;
  /** Grows with every change; whoever acts on an older one has to look again. */
  readonly version: number;
  readonly createdBy: UserId;
  readonly requestId: RequestId | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly movedAt: Date;
  readonly endedAt: Date | null;
}

/** What a change of a run may touch. */
export type RunChange = Partial<
  Pick<
    Run,
    | 'state'
    | 'holds'
    | 'holdAmount'
    | 'holdId'
    | 'holdExpiresAt'
    | 'position'
    | 'delivered'
    | 'ending'
    | 'charge'
    | 'failure'
    | 'hasMore'
    | 'spent'
    | 'failedAttempts'
    | 'startedAt'
    | 'movedAt'
    | 'endedAt'
  >
>;

export function hasEnded({ state }: Pick<Run, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** What the ledger knows a hold of a run by: the run's id, and with a number when a hold before was lost. */
export function receiptIdOf({ runId, holds }: Pick<Run, 'runId' | 'holds'>): string {
  return holds === 1 ? runId : `${runId}.${holds}`;
}

/** What a run has to hold so that everything that it may deliver can be paid. */
export function creditsOf({ requested, price }: Pick<Run, 'requested' | 'price'>): number {
  return requested * price;
}
