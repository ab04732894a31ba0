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
  const { accountId, jobId, exportId } = record;
  if (exportId !== null) {
    await ports.writeBacks.cancel(accountId, exportId);
  }
  if (jobId !== null) {
    await ports.jobs.stop(accountId, jobId, signal);
  }
  return (await ports.imports.change(record, { isStopping: false })) ? 'ended' : 'more';
}
