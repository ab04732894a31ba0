import type { AccountId, CrmImportId } from '@mailproof/shared-types';
import { type CrmImport, hasEnded } from './crm-import.ts';
import type { ImportPorts } from './import-ports.ts';

/**
 * Ends an import at somebody's wish; what it has under way is stopped right behind. One that has ended stays as it is.
 * Undefined where the account has no such import.
 */
export async function cancelImport(
  { imports, events, now }: Pick<ImportPorts, 'imports' | 'events' | 'now'>,
  accountId: AccountId,
  importId: CrmImportId,
): Promise<CrmImport | undefined> {
  for (;;) {
    const record = await imports.findOf(accountId, importId);
    if (!record || hasEnded(record)) {
      return record;
    }
    const at = now();
    const cancelled = await imports.change(
      record,
      {
        state: 'cancelled',
        pauseReason: null,
        resumesAt: null,
        isStopping: record.jobId !== null,
        movedAt: at,
        endedAt: at,
      },
      0,
    );
    if (cancelled) {
      events.importEnded(cancelled);
      return cancelled;
    }
  }
}
