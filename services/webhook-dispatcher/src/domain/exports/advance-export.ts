import { type ExportFailure, type ExportId, limits } from '@mailproof/shared-types';
import { whileClaimed } from './claimed-rows.ts';
import { destinationFaults } from './destination-faults.ts';
import { type Export, type ExportRow, hasEnded, type RowOutcome } from './export.ts';
import type { ExportPorts } from './export-ports.ts';
import type { BatchResult, LeavingRow } from './row-delivery.ts';
import { inColumns, type RowPage } from './row-sources.ts';

/**
 * `more`: there is something left to do. `waits`: somebody else goes on with it, at its time. `ended`: there is nothing
 * left, or the export is gone.
 */
export type Advance = 'more' | 'waits' | 'ended';

/** Makes a worker the one that works on an export; whoever did so before stops between two steps. */
export async function takeOver(
  { exports }: Pick<ExportPorts, 'exports'>,
  exportId: ExportId,
  runner: string,
): Promise<Export | undefined> {
  for (;;) {
    const record = await exports.find(exportId);
    if (!record || hasEnded(record)) {
      return record;
    }
    const taken = await exports.change(record, { runner });
    if (taken) {
      return taken;
    }
  }
}

/**
 * Takes an export one step further. Every step ends with one change in the store, and whatever happens outside of it can
 * be repeated, so that an export goes on from wherever it was killed (ADR 0036).
 */
export async function advanceExport(
  ports: ExportPorts,
  exportId: ExportId,
  runner: string,
  signal: AbortSignal,
): Promise<Advance> {
  const record = await ports.exports.find(exportId);
  if (!record || hasEnded(record)) {
    await ports.delivery.forget(exportId);
    return 'ended';
  }
  if (record.runner !== runner) {
    return 'waits';
  }
  if (record.pauseReason !== null) {
    return waitOrResume(ports, record);
  }
  try {
    if (!record.isListed) {
      await listKeys(ports, record, signal);
      return 'more';
    }
    return record.target === 'csv' ? await finish(ports, record) : await deliverBatch(ports, record, signal);
  } catch (error) {
    if (ports.isSourceGone(error)) {
      return endExport(ports, record, 'source_gone');
    }
    throw error;
  }
}

/** Ends an export as failed; rows that are pending stay so. `more` when it has changed meanwhile. */
export async function endExport(
  ports: Pick<ExportPorts, 'exports' | 'delivery' | 'events' | 'now'>,
  record: Export,
  failure: ExportFailure | null,
): Promise<Advance> {
  const ended = await ports.exports.change(record, {
    status: failure === null ? 'succeeded' : 'failed',
    failure,
    pauseReason: null,
    resumesAt: null,
    endedAt: ports.now(),
  });
  if (!ended) {
    return 'more';
  }
  // Whoever is killed here comes again, finds the end, and forgets then.
  await ports.delivery.forget(record.exportId);
  ports.events.exportEnded(ended);
  return 'ended';
}

async function waitOrResume({ exports, now }: ExportPorts, record: Export): Promise<Advance> {
  const { resumesAt } = record;
  if (resumesAt === null) {
    return 'waits';
  }
  const waitMs = resumesAt.getTime() - now().getTime();
  if (waitMs > 0) {
    return (await exports.change(record, {}, { waitMs })) ? 'waits' : 'more';
  }
  // It has not stood still for want of anything of ours.
  await exports.change(record, { pauseReason: null, resumesAt: null, movedAt: now() });
  return 'more';
}

async function listKeys(ports: ExportPorts, record: Export, signal: AbortSignal): Promise<void> {
  const { accountId, source, target } = record;
  const page = await ports.sources.list(accountId, source, record.listingPosition ?? undefined, signal);
  await ports.exports.appendKeys(record, {
    keys: page.keys,
    isLast: page.isLast,
    rowsMax: limits.exportRowsMax,
    // A file is written when it is downloaded, so that nothing is left to be done for its rows.
    state: target === 'csv' ? 'delivered' : 'pending',
    movedAt: ports.now(),
  });
}

/** Every row is delivered, given up or gone. A file may be empty; a push of which nothing arrived has failed. */
async function finish(ports: ExportPorts, record: Export): Promise<Advance> {
  const nothing = record.target !== 'csv' && record.rowsDelivered === 0;
  return endExport(ports, record, nothing ? 'nothing_delivered' : null);
}

async function deliverBatch(ports: ExportPorts, record: Export, signal: AbortSignal): Promise<Advance> {
  const { exports, delivery } = ports;
  const now = ports.now();
  const rowsMax = Math.max(1, Math.min(delivery.rowsAtOnce(record), limits.exportRowsPerReadMax));
  const claimedUntil = new Date(now.getTime() + ports.claimMs);
  const claimed = await exports.claimRows(record.exportNo, { rowsMax, now, claimedUntil });
  if (claimed.length === 0) {
    const dueAt = await exports.nextDueAt(record.exportNo, now);
    return dueAt === undefined
      ? finish(ports, record)
      : (await exports.change(record, {}, { waitMs: Math.max(0, dueAt.getTime() - now.getTime()) }))
        ? 'waits'
        : 'more';
  }
  const { outcomes, result } = await deliverClaimed(ports, record, claimed, signal);
  const after = await exports.recordRows(record.exportNo, outcomes, {
    ...result.change,
    failedAttempts: 0,
    movedAt: ports.now(),
  });
  return after && result.failure !== undefined && !hasEnded(after)
    ? endExport(ports, after, result.failure)
    : 'more';
}

/** Reads claimed rows and lets them leave; answers what became of every one. */
async function deliverClaimed(
  ports: ExportPorts,
  record: Export,
  claimed: readonly ExportRow[],
  signal: AbortSignal,
): Promise<{ readonly outcomes: readonly RowOutcome[]; readonly result: BatchResult }> {
  const keys = claimed.map(({ recordKey }) => recordKey);
  const page = await ports.sources.read(record.accountId, record.source, keys, signal);
  const looked = claimed.slice(0, page.keysRead);
  const leaving = leavingRows(record, looked, page);
  const result: BatchResult =
    leaving.length === 0
      ? { outcomes: [], change: {} }
      : await whileClaimed(ports, record.exportNo, looked, async () =>
          unlessReplaced(ports, record, await ports.delivery.deliverRows(record, leaving, signal)),
        );
  const unread = claimed.slice(page.keysRead).map(row => outcomeWithout(row, 'pending'));
  return { outcomes: [...outcomesOf(looked, leaving, result), ...unread], result };
}

/**
 * Where somebody else has the export by now, it may go elsewhere: then what this destination has refused says nothing,
 * and neither does what it asked for. What it has taken counts all the same.
 */
async function unlessReplaced(
  { exports }: Pick<ExportPorts, 'exports'>,
  { exportId, runner }: Export,
  result: BatchResult,
): Promise<BatchResult> {
  const current = await exports.find(exportId);
  if (current?.runner === runner) {
    return result;
  }
  const isRefused = ({ state, fault }: RowOutcome) =>
    state === 'failed' && destinationFaults.some(each => each === fault);
  return { outcomes: result.outcomes.filter(outcome => !isRefused(outcome)), change: {} };
}

function leavingRows(record: Export, claimed: readonly ExportRow[], page: RowPage): LeavingRow[] {
  const arrange = inColumns(page, record.columns);
  const values = new Map(page.rows.map(row => [row.key, arrange(row.values)]));
  return claimed.flatMap(({ rowNo, recordKey, attempts, action: intent }) => {
    const found = values.get(recordKey);
    return found ? [{ rowNo, attempts, intent, values: found }] : [];
  });
}

/** What was delivered says for itself; what the source does not have any more is gone; the rest is given back. */
function outcomesOf(
  claimed: readonly ExportRow[],
  leaving: readonly LeavingRow[],
  { outcomes }: BatchResult,
): RowOutcome[] {
  const known = new Map(outcomes.map(outcome => [outcome.rowNo, outcome]));
  const left = new Set(leaving.map(({ rowNo }) => rowNo));
  return claimed.map(
    row => known.get(row.rowNo) ?? outcomeWithout(row, left.has(row.rowNo) ? 'pending' : 'gone'),
  );
}

/** Of a row that was not sent. */
function outcomeWithout({ rowNo, attempts }: ExportRow, state: 'pending' | 'gone'): RowOutcome {
  return { rowNo, state, attempts, statusCode: null, fault: null, retryAt: null, attemptedAt: null };
}
