import type { CrmAction, ExportPauseReason } from '@mailproof/shared-types';
import type { Export } from '../../exports/export.ts';

/** What became of some rows of a CRM push. */
export type CrmOutcomeCounts = Readonly<Record<CrmAction | 'failed' | 'retried', number>>;

/** What happens to pushes to CRMs, told as it happens; never what rows say. */
export interface CrmPushEvents {
  crmRowsPushed(record: Export, rows: CrmOutcomeCounts): void;
  pushPaused(record: Export, reason: ExportPauseReason, pausedMs: number): void;
  undoBegun(record: Export): void;
  undoEnded(record: Export): void;
}
