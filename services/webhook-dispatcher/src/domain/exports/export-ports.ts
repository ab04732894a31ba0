import type { Export } from './export.ts';
import type { ExportStore } from './export-store.ts';
import type { RowDelivery } from './row-delivery.ts';
import type { RowSources } from './row-sources.ts';

/** What happens to exports, told as it happens. */
export interface ExportEvents {
  exportBegun(record: Export): void;
  exportEnded(record: Export): void;
}

export interface ExportPorts {
  readonly exports: ExportStore;
  readonly sources: RowSources;
  readonly delivery: RowDelivery;
  readonly events: ExportEvents;
  /** Whether a problem of a source says that what is to be exported is gone, or was never there. */
  readonly isSourceGone: (error: unknown) => boolean;
  readonly now: () => Date;
  /** Whoever has claimed rows and has given no sign of life for so long is taken for dead, in milliseconds. */
  readonly claimMs: number;
}
