import type { RunEnding } from '@mailproof/paid-runs';
import type {
  AccountId,
  DiscoveryRunId,
  DiscoverySearchId,
  HoldId,
  RequestId,
  RunFailure,
  RunState,
  SavedListId,
  SearchKind,
  UserId,
} from '@mailproof/shared-types';
import type { Run, RunChange } from '../../domain/discovery/run.ts';

export interface RunRow {
  readonly run_id: DiscoveryRunId;
  readonly search_id: DiscoverySearchId;
  readonly account_id: AccountId;
  readonly kind: SearchKind;
  readonly query: unknown;
  readonly state: RunState;
  readonly requested: number;
  readonly price: number;
  readonly holds: number;
  readonly hold_amount: number;
  readonly hold_id: HoldId | null;
  readonly hold_expires_at: Date | null;
  readonly position: string | null;
  readonly delivered: number;
  readonly ending: RunEnding | null;
  readonly charge: number | null;
  readonly failure: RunFailure | null;
  readonly has_more: boolean | null;
  readonly spent: number | null;
  readonly list_id: SavedListId | null;
  readonly failed_attempts: number;
  readonly version: number;
  readonly created_by: UserId;
  readonly request_id: RequestId | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly moved_at: Date;
  readonly ended_at: Date | null;
}

/** Reads runs with what their searches ask; `WHERE` follows. */
export const selectRuns = `
  SELECT r.run_id, r.search_id, r.account_id, s.kind, s.query, r.state, r.requested, r.price, r.holds, r.hold_amount,
    r.hold_id, r.hold_expires_at, r.position, r.delivered, r.ending, r.charge, r.failure, r.has_more, r.spent,
    r.list_id, r.failed_attempts, r.version, r.created_by, r.request_id, r.created_at, r.started_at, r.moved_at,
    r.ended_at
  FROM discovery_run r JOIN discovery_search s USING (search_id)`;

export function runOf(row: RunRow): Run {
  return {
    runId: row.run_id,
    searchId: row.search_id,
    accountId: row.account_id,
    kind: row.kind,
    query: row.query,
    state: row.state,
    requested: row.requested,
    price: row.price,
    creditsMax: row.requested * row.price,
    holds: row.holds,
    holdAmount: row.hold_amount,
    holdId: row.hold_id,
    holdExpiresAt: row.hold_expires_at,
    position: row.position,
    delivered: row.delivered,
    ending: row.ending,
    charge: row.charge,
    failure: row.failure,
    hasMore: row.has_more,
    spent: row.spent,
    listId: row.list_id,
    failedAttempts: row.failed_attempts,
    version: row.version,
    createdBy: row.created_by,
    requestId: row.request_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    movedAt: row.moved_at,
    endedAt: row.ended_at,
  };
}

/** The column of each member that may change. */
export const changeColumns = {
  state: 'state',
  holds: 'holds',
  holdAmount: 'hold_amount',
  holdId: 'hold_id',
  holdExpiresAt: 'hold_expires_at',
  position: 'position',
  delivered: 'delivered',
  ending: 'ending',
  charge: 'charge',
  failure: 'failure',
  hasMore: 'has_more',
  spent: 'spent',
  failedAttempts: 'failed_attempts',
  startedAt: 'started_at',
  movedAt: 'moved_at',
  endedAt: 'ended_at',
} as const satisfies Record<keyof RunChange, string>;
