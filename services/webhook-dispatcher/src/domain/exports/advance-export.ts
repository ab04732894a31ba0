import { type Advance, judgeFault, takeOver as takeOverWork } from '@mailproof/durable-work';
import { type ExportFailure, type ExportId, limits } from '@mailproof/shared-types';
import { deliverDueRows } from './deliver-due-rows.ts';
import { type Export, hasEnded } from './export.ts';
import type { ExportPorts } from './export-ports.ts';

/** Makes a worker the runner of an export, unless it has ended. */
export function takeOver({ exports }: Pick<ExportPorts, 'exports'>, exportId: ExportId, runner: string) {
  return takeOverWork(exports, exportId, runner, hasEnded);
}

/**
 * Advances an export by one step. Every step ends with one change in the store, and all its external effects can be
 * repeated, so an export that is killed at any point resumes (ADR 0036).
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

/** Ends an export, as failed if there is a failure; pending rows stay pending. `more` if it has changed meanwhile. */
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
  // The job of a worker that is killed here is retried, sees that the export has ended, and cleans up then.
  await ports.delivery.forget(record.exportId);
  ports.events.exportEnded(ended);
  return 'ended';
}

/** Records that a step failed, and ends the export after too many failures or too long without progress. */
export async function noteExportFault(
  ports: Pick<ExportPorts, 'exports' | 'delivery' | 'events' | 'now'>,
  exportId: ExportId,
  runner: string,
  isUnavailable: boolean,
): Promise<void> {
  const record = await ports.exports.find(exportId);
  // Faults of a worker that has lost the export to another one do not count.
  if (!record || hasEnded(record) || record.runner !== runner) {
    return;
  }
  const waitsForUser = record.pauseReason !== null && record.resumesAt === null;
  const judged = judgeFault(record, isUnavailable, ports.now());
  if (judged === 'count') {
    await ports.exports.change(record, { failedAttempts: record.failedAttempts + 1 });
  } else if (judged === 'could_not_continue' || (judged === 'timed_out' && !waitsForUser)) {
    await endExport(ports, record, 'could_not_continue');
  }
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
  // The pause must not count as a stall of ours.
  await exports.change(record, { pauseReason: null, resumesAt: null, movedAt: now() });
  return 'more';
}

async function listKeys(ports: ExportPorts, record: Export, signal: AbortSignal): Promise<void> {
  const { accountId, source, target } = record;
  const page = await ports.sources.list(accountId, source, record.listingPosition ?? undefined, signal);
  await ports.exports.appendKeys(record, {
    keys: page.keys,
    open: page.open,
    isLast: page.isLast,
    rowsMax: limits.exportRowsMax,
    // A file is written when it is downloaded, so nothing remains to be done for its rows.
    state: target === 'csv' ? 'delivered' : 'pending',
    movedAt: ports.now(),
  });
}

/**
 * Ends an export whose rows are all delivered, given up, or gone. A file may be empty; a push that delivered nothing
 * has failed.
 */
async function finish(ports: ExportPorts, record: Export): Promise<Advance> {
  const nothing = record.target !== 'csv' && record.rowsDelivered === 0;
  return endExport(ports, record, nothing ? 'nothing_delivered' : null);
}

async function deliverBatch(ports: ExportPorts, record: Export, signal: AbortSignal): Promise<Advance> {
  const { exports } = ports;
  const delivered = await deliverDueRows(ports, record, signal);
  if (!delivered) {
    const now = ports.now();
    const dueAt = await exports.nextDueAt(record.exportNo, now);
    return dueAt === undefined
      ? finish(ports, record)
      : (await exports.change(record, {}, { waitMs: Math.max(0, dueAt.getTime() - now.getTime()) }))
        ? 'waits'
        : 'more';
  }
  const { after, failure } = delivered;
  return after && failure !== undefined && !hasEnded(after) ? endExport(ports, after, failure) : 'more';
}
