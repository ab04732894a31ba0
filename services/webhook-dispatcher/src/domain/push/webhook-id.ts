import type { ExportId } from '@mailproof/shared-types';

/** What a receiver knows a row by: the same however often it is sent, whoever sends it, wherever to. */
export function webhookIdOf(exportId: ExportId, rowNo: number): string {
  return `${exportId}_${rowNo}`;
}
