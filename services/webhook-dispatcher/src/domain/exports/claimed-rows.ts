import type { ExportRow } from './export.ts';
import type { ExportPorts } from './export-ports.ts';

/**
 * Does work on claimed rows, which stay claimed as long as it goes on: a slow receiver may take longer over a batch than a
 * claim lasts, and whoever took the rows meanwhile would send them a second time.
 */
export async function whileClaimed<Result>(
  { exports, now, claimMs }: Pick<ExportPorts, 'exports' | 'now' | 'claimMs'>,
  exportNo: string,
  claimed: readonly ExportRow[],
  work: () => Promise<Result>,
): Promise<Result> {
  const rowNos = claimed.map(({ rowNo }) => rowNo);
  let renewal: Promise<void> = Promise.resolve();
  // The first comes in time even where reading the rows has taken most of the claim; some may fail, for want of Postgres.
  const timer = setInterval(() => {
    const claimedUntil = new Date(now().getTime() + claimMs);
    renewal = renewal.then(() => exports.renewClaims(exportNo, rowNos, claimedUntil)).catch(() => undefined);
  }, claimMs / 5);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // One that came after the outcomes would take what is to be tried again for claimed.
    await renewal;
  }
}
