import type { CrmImportId } from '@mailproof/shared-types';
import { type CrmImport, hasEnded } from './crm-import.ts';
import { type Advance, stopRest } from './end-import.ts';
import type { ImportPorts } from './import-ports.ts';
import { seeToEnd, seeToStart, seeWrittenBack } from './see-job-through.ts';
import { takeRecordsIn } from './take-records-in.ts';

/** Makes a worker the one that works on an import; whoever did so before stops at its next page or step. */
export async function takeOver(
  { imports }: Pick<ImportPorts, 'imports'>,
  importId: CrmImportId,
  runner: string,
): Promise<CrmImport | undefined> {
  for (;;) {
    const record = await imports.find(importId);
    if (!record || (hasEnded(record) && !record.isStopping)) {
      return undefined;
    }
    const taken = await imports.change(record, { runner });
    if (taken) {
      return taken;
    }
  }
}

/**
 * Takes an import one step further. Every step ends with one change in the store, and whatever happens outside of it can
 * be repeated, so that an import goes on from wherever it was killed (ADR 0041).
 */
export async function advanceImport(
  ports: ImportPorts,
  importId: CrmImportId,
  runner: string,
  signal: AbortSignal,
): Promise<Advance> {
  const record = await ports.imports.find(importId);
  if (!record) {
    return 'ended';
  }
  if (record.runner !== runner) {
    return 'waits';
  }
  if (hasEnded(record)) {
    return record.isStopping ? stopRest(ports, record, signal) : 'ended';
  }
  const waitMs = (record.resumesAt?.getTime() ?? 0) - ports.now().getTime();
  if (waitMs > 0) {
    return (await ports.imports.change(record, {}, waitMs)) ? 'waits' : 'more';
  }
  switch (record.state) {
    case 'ready':
      return seeToStart(ports, record, signal);
    case 'validating':
      return seeToEnd(ports, record, signal);
    case 'writing_back':
      return seeWrittenBack(ports, record);
    default:
      return takeRecordsIn(ports, record, signal);
  }
}

/** Whether the next step of an import reads records, which takes long and takes room. */
export function reads({ isIn, endedAt }: CrmImport): boolean {
  return !isIn && endedAt === null;
}
