import { Problem } from '@mailproof/service-kit';
import type { AccountId, ExportId } from '@mailproof/shared-types';
import type { Export } from '../domain/exports/export.ts';
import type { ExportStore } from '../domain/exports/export-store.ts';

/** The account's export, or the problem `export_not_found`. */
export async function findExport(
  { findOf }: Pick<ExportStore, 'findOf'>,
  { accountId, export_id: exportId }: { readonly accountId: AccountId; readonly export_id: ExportId },
): Promise<Export> {
  const record = await findOf(accountId, exportId);
  if (!record) {
    throw new Problem('export_not_found');
  }
  return record;
}
