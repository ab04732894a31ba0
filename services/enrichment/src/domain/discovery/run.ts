import type { RunChange as PaidChange, PaidRun } from '@mailproof/paid-runs';
import type { DiscoveryRunId, RunFailure, RunState, SearchKind, UserId } from '@mailproof/shared-types';
import type { DeliveredRun } from './run-delivery.ts';

/** A paid run of a search, as it is written down. */
export interface Run extends PaidRun, DeliveredRun {
  readonly runId: DiscoveryRunId;
  readonly kind: SearchKind;
  readonly state: RunState;
  readonly requested: number;
  /** Credits for each delivered record. */
  readonly price: number;
  readonly position: string | null;
  readonly delivered: number;
  readonly failure: RunFailure | null;
  readonly hasMore: boolean | null;
  readonly createdBy: UserId;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** What a change of a run may touch. */
export type RunChange = Omit<PaidChange, 'state'> &
  Partial<Pick<Run, 'state' | 'position' | 'delivered' | 'hasMore' | 'startedAt' | 'movedAt'>>;

/** The run as those who deliver know it. */
export function deliveredRunOf({ runId, searchId, accountId, query, listId }: Run): DeliveredRun {
  return { runId, searchId, accountId, query, listId };
}
