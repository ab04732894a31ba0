import { type AuditPort, type AuditReport, type AuditScope, auditLedger } from './audit.ts';

/** An audit that has ended. */
export interface PastRun {
  readonly finishedAt: Date;
  readonly faultsTotal: number;
  readonly unexaminedTotal: number;
  readonly settledUntil: number;
}

/** The newest audit, the newest that looked at everything, and the newest that found nothing wrong. */
export interface PastRuns {
  readonly last: PastRun | undefined;
  readonly lastFull: PastRun | undefined;
  readonly lastClean: PastRun | undefined;
}

/** What is known of past audits, by all replicas together. */
export interface AuditRuns {
  past(): Promise<PastRuns>;
  record(report: AuditReport, startedAt: Date, finishedAt: Date): Promise<void>;
  /** Does the work unless another replica is at it; then it answers nothing. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result | undefined>;
}

export interface AuditSchedule {
  /** Time between two audits, over all replicas, in milliseconds. */
  readonly intervalMs: number;
  /** Time after which everything is looked at again, in milliseconds. */
  readonly fullIntervalMs: number;
}

/**
 * Audits unless somebody did so within the interval: what has moved since the last clean audit, and everything once in a
 * while. After a full audit that found a fault everything is looked at each time, so that a fault stays reported for as
 * long as it is there.
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
