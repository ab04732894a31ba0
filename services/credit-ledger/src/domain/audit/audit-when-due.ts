import { type AuditPort, type AuditReport, type AuditScope, auditLedger } from './audit.ts';

/** A finished audit. */
export interface PastRun {
  readonly finishedAt: Date;
  readonly faultsTotal: number;
  readonly unexaminedTotal: number;
  readonly settledUntil: number;
}

/** The latest audit, the latest full audit, and the latest audit without findings. */
export interface PastRuns {
  readonly last: PastRun | undefined;
  readonly lastFull: PastRun | undefined;
  readonly lastClean: PastRun | undefined;
}

/** The record of past audits, shared by all replicas. */
export interface AuditRuns {
  past(): Promise<PastRuns>;
  record(report: AuditReport, startedAt: Date, finishedAt: Date): Promise<void>;
  /** Does the work and returns its result, or returns undefined if another replica is doing it. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result | undefined>;
}

export interface AuditSchedule {
  /** Time between two audits, across all replicas, in milliseconds. */
  readonly intervalMs: number;
  /** Time between two full audits, in milliseconds. */
  readonly fullIntervalMs: number;
}

/**
 * Audits unless another replica did so within the interval. Examines what has changed since the last clean audit, and
 * periodically everything. After a full audit that found a fault, examines everything each time, so a fault stays
 * reported as long as it exists.
 */
export async function auditWhenDue(
  { port, runs, now }: { readonly port: AuditPort; readonly runs: AuditRuns; readonly now: () => Date },
  schedule: AuditSchedule,
  signal?: AbortSignal,
): Promise<AuditReport | undefined> {
  return runs.inTurn(async () => {
    const past = await runs.past();
    const startedAt = now();
    if (past.last && ageOf(past.last, startedAt) < schedule.intervalMs) {
      return undefined;
    }
    const report = await auditLedger(port, scopeOf(past, schedule, startedAt), signal);
    await runs.record(report, startedAt, now());
    return report;
  });
}

function scopeOf({ lastFull, lastClean }: PastRuns, schedule: AuditSchedule, at: Date): AuditScope {
  const isFullDue =
    !lastFull ||
    lastFull.faultsTotal + lastFull.unexaminedTotal > 0 ||
    ageOf(lastFull, at) >= schedule.fullIntervalMs;
  return isFullDue || !lastClean ? { depth: 'full' } : { depth: 'recent', after: lastClean.settledUntil };
}

function ageOf({ finishedAt }: PastRun, at: Date): number {
  return at.getTime() - finishedAt.getTime();
}
