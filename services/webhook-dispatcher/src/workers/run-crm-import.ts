import { randomUUID } from 'node:crypto';
import type { FairTurns } from '@mailproof/service-kit';
import type { runCrmImportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceImport, reads, takeOver } from '../domain/crm/imports/advance-import.ts';
import type { ImportPorts } from '../domain/crm/imports/import-ports.ts';
import { noteImportFault } from '../domain/crm/imports/note-import-fault.ts';

export interface RunCrmImportOptions {
  readonly ports: ImportPorts;
  /** Turns at reading, which takes room in memory; all other steps are short. */
  readonly turns: FairTurns;
  /** Whether an error says that something is away, rather than wrong. */
  readonly isAway: (error: unknown) => boolean;
  /** Aborted when the service stops: an import is then taken up by another process. */
  readonly stopping: AbortSignal;
}

/** Takes an import on, step by step, until it has ended or has to wait. */
export function runCrmImportHandler({ ports, turns, isAway, stopping }: RunCrmImportOptions) {
  return async ({ importId }: z.output<typeof runCrmImportJob.payload>): Promise<void> => {
    const runner = randomUUID();
    const record = await takeOver(ports, importId, runner);
    if (!record) {
      return;
    }
    const step = () => advanceImport(ports, importId, runner, stopping);
    for (let isReading = reads(record); ; isReading = false) {
      if (stopping.aborted) {
        throw new Error('The service is stopping; the import goes on elsewhere.');
      }
      try {
        const advance = await (isReading ? turns.take(record.accountId, step) : step());
        if (advance !== 'more') {
          return;
        }
      } catch (error) {
        // What was broken off by our own stopping is no fault of anything.
        if (!stopping.aborted) {
          await noteImportFault(ports, importId, runner, isAway(error));
        }
        throw error;
      }
    }
  };
}
