import type { AccountId, ExportId } from '@mailproof/shared-types';
import type { ExportPorts } from './export-ports.ts';

type DeletePorts = Pick<ExportPorts, 'exports' | 'delivery'>;

/** Deletes an export in any status; its worker notices at the next step. False if the account has no such export. */
export async function deleteExport(
  { exports, delivery }: DeletePorts,
  accountId: AccountId,
  exportId: ExportId,
): Promise<boolean> {
  const deleted = await exports.delete(accountId, exportId);
  if (deleted) {
    await delivery.forget(exportId);
  }
  return deleted !== undefined;
}

/** Deletes expired exports in batches; returns how many there were. */
export async function deleteOutdatedExports({ exports, delivery }: DeletePorts, now: Date): Promise<number> {
  for (let deleted = 0; ; ) {
    const some = await exports.deleteOutdated(now);
    await Promise.all(some.map(({ exportId }) => delivery.forget(exportId)));
    deleted += some.length;
    if (some.length === 0) {
      return deleted;
    }
  }
}

/** Deletes some of the exports of a deleted account; `remaining` says whether there may be more. */
export async function forgetAccount(
  { exports, delivery }: DeletePorts,
  accountId: AccountId,
): Promise<{ readonly deleted: number; readonly remaining: boolean }> {
  const some = await exports.deleteOfAccount(accountId);
  await Promise.all(some.map(({ exportId }) => delivery.forget(exportId)));
  return { deleted: some.length, remaining: some.length > 0 };
}
