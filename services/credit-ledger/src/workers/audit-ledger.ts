import type { AuditReport } from '../domain/audit/audit.ts';
import type { AuditRuns } from '../domain/audit/audit-when-due.ts';
import type { Events } from '../events.ts';

/** A service that has just started audits soon, however long the interval: restarts must not keep audits away. */
const firstDelayMsMax = 60_000;

export interface AuditWork {
  /** Audits when it is due; answers nothing when it is not, or when another replica is at it. */
  readonly audit: (signal: AbortSignal) => Promise<AuditReport | undefined>;
  readonly runs: Pick<AuditRuns, 'past'>;
  readonly events: Events;
  readonly intervalMs: number;
}

/** Audits at an interval, and shows what the last audit of any replica found. */
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
