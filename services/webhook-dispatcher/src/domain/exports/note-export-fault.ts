import type { ExportId } from '@mailproof/shared-types';
import { endExport } from './advance-export.ts';
import { hasEnded } from './export.ts';
import type { ExportPorts } from './export-ports.ts';

/** So often may it go wrong, in a row, for reasons of our own. */
const failedAttemptsMax = 5;
/** An export that has not moved for so long, because something that it needs is away, is given up, in milliseconds. */
const standsStillMsMax = 86_400_000;

/**
 * Writes down that advancing an export went wrong, and lets it end when that has happened too often. What is merely away
 * does not count as wrong: it is waited for, a day long.
 */
export async function noteExportFault(
  ports: Pick<ExportPorts, 'exports' | 'delivery' | 'events' | 'now'>,
  exportId: ExportId,
  runner: string,
  isAway: boolean,
): Promise<void> {
  const record = await ports.exports.find(exportId);
  // Whoever has lost an export to another worker finds everything wrong.
  if (!record || hasEnded(record) || record.runner !== runner) {
    return;
  }
  const waitsForSomebody = record.pauseReason !== null && record.resumesAt === null;
  const lastMs = Math.max(record.movedAt.getTime(), record.resumesAt?.getTime() ?? 0);
  const isTooMuch = isAway
    ? !waitsForSomebody && ports.now().getTime() - lastMs > standsStillMsMax
    : record.failedAttempts + 1 >= failedAttemptsMax;
  if (isTooMuch) {
    await endExport(ports, record, 'could_not_continue');
  } else if (!isAway) {
    await ports.exports.change(record, { failedAttempts: record.failedAttempts + 1 });
  }
}
