import type { CrmImportFailure } from '@mailproof/shared-types';
import type { CrmImport, ImportChange } from './crm-import.ts';
import type { ImportPorts } from './import-ports.ts';

/** `more`: there is something left to do. `waits`: it is taken up at its time. `ended`: nothing is left, or it is gone. */
export type Advance = 'more' | 'waits' | 'ended';

type EndPorts = Pick<ImportPorts, 'imports' | 'events' | 'now'>;

/** Ends an import well. `more` when it has changed meanwhile. */
export function succeed(ports: EndPorts, record: CrmImport, change: ImportChange = {}): Promise<Advance> {
  return end(ports, record, { ...change, state: 'succeeded' });
}

/** Ends an import as failed; what it had under way is stopped in the next step. */
export function fail(ports: EndPorts, record: CrmImport, failure: CrmImportFailure): Promise<Advance> {
  // A job whose rows are in is the customer's, and stays as it is.
  const isStopping = record.jobId !== null && !record.isIn;
  return end(ports, record, { state: 'failed', failure, isStopping });
}

async function end(ports: EndPorts, record: CrmImport, change: ImportChange): Promise<Advance> {
  const now = ports.now();
  const ended = await ports.imports.change(record, {
    ...change,
    pauseReason: null,
    resumesAt: null,
    movedAt: now,
    endedAt: now,
  });
  if (ended) {
    ports.events.importEnded(ended);
  }
  return ended && !ended.isStopping ? 'ended' : 'more';
}

/** Stops what an import that has ended had under way. */
export async function stopRest(
  ports: Pick<ImportPorts, 'imports' | 'jobs' | 'writeBacks'>,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  await stop(ports, record, signal);
  return (await ports.imports.change(record, { isStopping: false })) ? 'ended' : 'more';
}

/**
 * Has something stopped that was begun for an import and could not be noted, where the import was cancelled meanwhile:
 * whoever stopped its rest may have found nothing to stop yet. It is written down, so that it is done until it is done.
 */
export async function stopBegun(
  ports: Pick<ImportPorts, 'imports' | 'jobs' | 'writeBacks' | 'now'>,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  for (;;) {
    const current = await ports.imports.find(record.importId);
    if (!current) {
      await stop(ports, record, signal);
      return 'ended';
    }
    const isNoted =
      current.state !== 'cancelled' || (await ports.imports.change(current, { isStopping: true }, 0));
    if (isNoted) {
      return 'more';
    }
  }
}

async function stop(
  ports: Pick<ImportPorts, 'jobs' | 'writeBacks'>,
  record: CrmImport,
  signal: AbortSignal,
): Promise<void> {
  // Also one that was never noted here: its id follows from the import's.
  await ports.writeBacks.cancel(record);
  if (record.jobId !== null) {
    await ports.jobs.stop(record.accountId, record.jobId, signal);
  }
}
