import type { CrmImportId } from '@mailproof/shared-types';
import { hasEnded } from './crm-import.ts';
import { fail } from './end-import.ts';
import type { ImportPorts } from './import-ports.ts';

/** So often may it go wrong, in a row, for reasons of our own. */
const failedAttemptsMax = 5;
/** An import that has not moved for so long, because something that it needs is away, is given up, in milliseconds. */
const standsStillMsMax = 86_400_000;

/**
 * Writes down that advancing an import went wrong, and lets it end when that has happened too often. What is merely away
 * does not count as wrong: it is waited for, a day long.
 */
export async function noteImportFault(
  ports: Pick<ImportPorts, 'imports' | 'events' | 'now'>,
  importId: CrmImportId,
  runner: string,
  isAway: boolean,
): Promise<void> {
  const record = await ports.imports.find(importId);
  // Whoever has lost an import to another worker finds everything wrong.
  if (!record || hasEnded(record) || record.runner !== runner) {
    return;
  }
  const lastMs = Math.max(record.movedAt.getTime(), record.resumesAt?.getTime() ?? 0);
  const isTooMuch = isAway
    ? ports.now().getTime() - lastMs > standsStillMsMax
    : record.failedAttempts + 1 >= failedAttemptsMax;
  if (isTooMuch) {
    await fail(ports, record, 'could_not_continue');
  } else if (!isAway) {
    await ports.imports.change(record, { failedAttempts: record.failedAttempts + 1 });
  }
}
