import type { AuditReport } from '../domain/audit/audit.ts';
import type { AuditRuns } from '../domain/audit/audit-when-due.ts';
import type { Events } from '../events.ts';

/**
 * The longest delay before the first audit after a start, regardless of the interval: restarts must not prevent audits.
 */
const firstDelayMsMax = 60_000;

export interface AuditWork {
  /** Audits if due; returns undefined if not due, or if another replica is auditing. */
  readonly audit: (signal: AbortSignal) => Promise<AuditReport | undefined>;
  readonly runs: Pick<AuditRuns, 'past'>;
  readonly events: Events;
  readonly intervalMs: number;
}

/** Audits at an interval, and reports what the last audit of any replica found. */
export function startAuditing({ audit, runs, events, intervalMs }: AuditWork): { close(): Promise<void> } {
  const ending = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(tick, Math.min(intervalMs, firstDelayMsMax));

  async function look(): Promise<void> {
    const report = await audit(ending.signal);
    if (report) {
      events.ledgerAudited(report);
    }
    events.auditsSeen(await runs.past());
  }

  function tick(): void {
    running = look()
      .catch(error => {
        if (!ending.signal.aborted) {
          events.auditFailed(error);
        }
      })
      .finally(() => {
        if (!ending.signal.aborted) {
          timer = setTimeout(tick, intervalMs);
        }
      });
  }

  return {
    async close() {
      ending.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
