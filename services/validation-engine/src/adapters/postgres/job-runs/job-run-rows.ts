import type { RunEnding } from '@mailproof/paid-runs';
import type {
  AccountId,
  HoldId,
  RequestId,
  UserId,
  ValidationJobFailure,
  ValidationJobId,
  ValidationJobState,
} from '@mailproof/shared-types';
import type { JobRun, JobRunChange } from '../../../domain/job-runs/job-run.ts';

export interface JobRunRow {
  readonly job_id: ValidationJobId;
  readonly job_no: string;
  readonly account_id: AccountId;
  readonly created_by: UserId;
  readonly request_id: RequestId | null;
  readonly state: ValidationJobState;
  readonly addresses: number;
  readonly price: number;
  readonly holds: number;
  readonly hold_amount: number;
  readonly hold_id: HoldId | null;
  readonly hold_expires_at: Date | null;
  readonly ending: RunEnding | null;
  readonly charge: number | null;
  readonly spent: number | null;
  readonly failure: ValidationJobFailure | null;
  readonly failed_attempts: number;
  readonly chunks: number | null;
  readonly carrier: string | null;
  readonly version: number;
  readonly started_at: Date | null;
  readonly paused_at: Date | null;
  readonly moved_at: Date;
}

/** Reads jobs as runs; `WHERE` follows. */
export const selectJobRuns = `
  SELECT job_id, job_no, account_id, created_by, request_id, state, addresses, price, holds, hold_amount, hold_id,
    hold_expires_at, ending, charge, spent, failure, failed_attempts, chunks, carrier, version, started_at, paused_at,
    moved_at
  FROM validation_job`;

export const underWay = "state IN ('queued', 'running', 'paused')";

export function jobRunOf(row: JobRunRow): JobRun {
  return {
    runId: row.job_id,
    jobNo: row.job_no,
    accountId: row.account_id,
    createdBy: row.created_by,
    requestId: row.request_id,
    state: row.state,
    addresses: row.addresses,
    price: row.price,
    creditsMax: row.addresses * row.price,
    holds: row.holds,
    holdAmount: row.hold_amount,
    holdId: row.hold_id,
    holdExpiresAt: row.hold_expires_at,
    ending: row.ending,
    charge: row.charge,
    spent: row.spent,
    failure: row.failure,
    failedAttempts: row.failed_attempts,
    chunks: row.chunks,
    carrier: row.carrier,
    version: row.version,
    startedAt: row.started_at,
    pausedAt: row.paused_at,
    movedAt: row.moved_at,
  };
}

/** The column of each member that may change. */
export const changeColumns = {
  state: 'state',
  holds: 'holds',
  holdAmount: 'hold_amount',
  holdId: 'hold_id',
  holdExpiresAt: 'hold_expires_at',
  ending: 'ending',
  charge: 'charge',
  spent: 'spent',
  failure: 'failure',
  failedAttempts: 'failed_attempts',
  chunks: 'chunks',
  perSecond: 'per_second',
  startedAt: 'started_at',
  pausedAt: 'paused_at',
  movedAt: 'moved_at',
  endedAt: 'ended_at',
} as const satisfies Record<keyof JobRunChange, string>;
