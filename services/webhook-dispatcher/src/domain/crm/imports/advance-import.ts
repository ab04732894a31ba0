import { type Advance, judgeFault, takeOver as takeOverWork } from '@mailproof/durable-work';
import type { CrmImportId } from '@mailproof/shared-types';
import { awaitJobEnd, awaitJobStart, awaitWriteBack } from './await-job.ts';
import { type CrmImport, hasEnded } from './crm-import.ts';
import { fail, stopRunningWork } from './end-import.ts';
import type { ImportPorts } from './import-ports.ts';
import { readIntoJob } from './read-into-job.ts';
import { readIntoList } from './read-into-list.ts';

/** Makes a worker the runner of an import, unless nothing is left to do. */
export function takeOver({ imports }: Pick<ImportPorts, 'imports'>, importId: CrmImportId, runner: string) {
  return takeOverWork(imports, importId, runner, isOver);
}

function isOver(record: CrmImport): boolean {
  return hasEnded(record) && !record.isStopping;
}

/**
 * Advances an import by one step. Every step ends with one change in the store, and all its external effects can be
 * repeated, so an import that is killed at any point resumes (ADR 0041).
 */
export async function advanceImport(
  ports: ImportPorts,
  importId: CrmImportId,
  runner: string,
  signal: AbortSignal,
): Promise<Advance> {
  const record = await ports.imports.find(importId);
  if (!record || isOver(record)) {
    return 'ended';
  }
  if (record.runner !== runner) {
    return 'waits';
  }
  if (record.isStopping) {
    return stopRunningWork(ports, record, signal);
  }
  const waitMs = (record.resumesAt?.getTime() ?? 0) - ports.now().getTime();
  if (waitMs > 0) {
    return (await ports.imports.change(record, {}, { waitMs })) ? 'waits' : 'more';
  }
  switch (record.state) {
    case 'ready':
      return awaitJobStart(ports, record, signal);
    case 'validating':
      return awaitJobEnd(ports, record, signal);
    case 'writing_back':
      return awaitWriteBack(ports, record);
    default: {
      const { list_id: listId } = record.request;
      return listId === undefined
        ? readIntoJob(ports, record, signal)
        : readIntoList(ports, record, listId, signal);
    }
  }
}

/** Whether the next step of an import reads records, which takes time and memory. */
export function reads({ isIn, endedAt }: CrmImport): boolean {
  return !isIn && endedAt === null;
}

/** Records that a step failed, and ends the import after too many failures or too long without progress. */
export async function noteImportFault(
  ports: Pick<ImportPorts, 'imports' | 'events' | 'now'>,
  importId: CrmImportId,
  runner: string,
  isUnavailable: boolean,
): Promise<void> {
  const record = await ports.imports.find(importId);
  // Faults of a worker that has lost the import to another one do not count.
  if (!record || hasEnded(record) || record.runner !== runner) {
    return;
  }
  const judged = judgeFault(record, isUnavailable, ports.now());
  if (judged === 'count') {
    await ports.imports.change(record, { failedAttempts: record.failedAttempts + 1 });
  } else if (judged !== 'retry') {
    await fail(ports, record, 'could_not_continue');
  }
}
