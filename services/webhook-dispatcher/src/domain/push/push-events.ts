import type { ExportId, ExportPauseReason } from '@mailproof/shared-types';
import type { Export, RowOutcome } from '../exports/export.ts';

/** How many rows were delivered, given up, or are to be sent again. */
export type OutcomeCounts = Readonly<Record<'delivered' | 'failed' | 'retried', number>>;

/** What happens to pushes, told as it happens; never where they go to. */
export interface PushEvents {
  batchPushed(
    record: Export,
    batch: { readonly rows: OutcomeCounts; readonly throttled: number; readonly pace: number },
  ): void;
  pushPaused(record: Export, reason: ExportPauseReason, pausedMs: number): void;
  /** A destination is there, and the ring of keys does not open it. */
  destinationNotOpened(exportId: ExportId, kind: 'unknown_kid' | 'not_authentic'): void;
}

export function outcomeCounts(outcomes: readonly RowOutcome[]): OutcomeCounts {
  const count = (state: RowOutcome['state']) => outcomes.filter(outcome => outcome.state === state).length;
  return { delivered: count('delivered'), failed: count('failed'), retried: count('pending') };
}
