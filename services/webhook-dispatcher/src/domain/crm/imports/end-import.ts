import { type Advance, untilChanged } from '@mailproof/durable-work';
import type { AccountId, CrmImportFailure, CrmImportId } from '@mailproof/shared-types';
import { type CrmImport, hasEnded, type ImportChange } from './crm-import.ts';
import type { ImportPorts } from './import-ports.ts';

type EndPorts = Pick<ImportPorts, 'imports' | 'events' | 'now'>;

/** Ends an import as succeeded. `more` if it has changed meanwhile. */
export function succeed(ports: EndPorts, record: CrmImport, change: ImportChange = {}): Promise<Advance> {
  return end(ports, record, { ...change, state: 'succeeded' });
}

/** Ends an import as failed; the next step stops its running work. */
export function fail(ports: EndPorts, record: CrmImport, failure: CrmImportFailure): Promise<Advance> {
  // A job that has all its rows belongs to the customer and stays as it is.
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

/** Stops the running work of an import that has ended. */
export async function stopRunningWork(
  ports: Pick<ImportPorts, 'imports' | 'jobs' | 'writeBacks'>,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  await stop(ports, record, signal);
  return (await ports.imports.change(record, { isStopping: false })) ? 'ended' : 'more';
}

/**
 * Stops work that was started for an import but not recorded, because the import was canceled meanwhile. The
 * cancellation may have found nothing to stop yet. The stop is recorded first, so that it is retried until it succeeds.
 */
export function stopUnrecorded(
  ports: Pick<ImportPorts, 'imports' | 'jobs' | 'writeBacks' | 'now'>,
  record: CrmImport,
  signal: AbortSignal,
): Promise<Advance> {
  return untilChanged(async () => {
    const current = await ports.imports.find(record.importId);
    if (!current) {
      await stop(ports, record, signal);
      return 'ended';
    }
    const isNoted =
      current.state !== 'cancelled' ||
      (await ports.imports.change(current, { isStopping: true }, { waitMs: 0 }));
    return isNoted ? 'more' : undefined;
  });
}

async function stop(
  ports: Pick<ImportPorts, 'jobs' | 'writeBacks'>,
  record: CrmImport,
  signal: AbortSignal,
): Promise<void> {
  // Also cancels a write-back that was never recorded here: its id is derived from the import's.
  await ports.writeBacks.cancel(record);
  if (record.jobId !== null) {
    await ports.jobs.stop(record.accountId, record.jobId, signal);
  }
}

/**
 * Cancels an import on request and schedules the stop of its running work. An import that has ended stays as it is.
 * Undefined if the account has no such import.
 */
export async function cancelImport(
  { imports, events, now }: Pick<ImportPorts, 'imports' | 'events' | 'now'>,
  accountId: AccountId,
  importId: CrmImportId,
): Promise<CrmImport | undefined> {
  const found = await untilChanged(async () => {
    const record = (await imports.findOf(accountId, importId)) ?? null;
    if (record === null || hasEnded(record)) {
      return record;
    }
    const at = now();
    const change = {
      state: 'cancelled',
      pauseReason: null,
      resumesAt: null,
      isStopping: record.jobId !== null,
      movedAt: at,
      endedAt: at,
    } as const;
    const cancelled = await imports.change(record, change, { waitMs: 0 });
    if (cancelled) {
      events.importEnded(cancelled);
    }
    return cancelled;
  });
  return found ?? undefined;
}

/**
 * Deletes expired imports; returns how many. An import with running work is canceled, and deleted in a later round
 * after that work has stopped.
 */
export async function deleteOutdatedImports(
  ports: Pick<ImportPorts, 'imports' | 'events' | 'now'>,
): Promise<number> {
  const now = ports.now();
  for (;;) {
    const some = await ports.imports.listOutdated(now);
    if (some.length === 0) {
      break;
    }
    for (const { accountId, importId } of some) {
      await cancelImport(ports, accountId, importId);
    }
  }
  for (let deleted = 0; ; ) {
    const some = await ports.imports.deleteOutdated(now);
    deleted += some;
    if (some === 0) {
      return deleted;
    }
  }
}
