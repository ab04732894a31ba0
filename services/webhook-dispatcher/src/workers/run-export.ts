import { randomUUID } from 'node:crypto';
import type { FairTurns } from '@mailproof/service-kit';
import type { runExportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceExport, takeOver } from '../domain/exports/advance-export.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import { noteExportFault } from '../domain/exports/note-export-fault.ts';

export interface RunExportOptions {
  readonly ports: ExportPorts;
  readonly turns: FairTurns;
  /** Whether an error says that something is away, rather than wrong. */
  readonly isAway: (error: unknown) => boolean;
  /** Aborted when the service stops: an export then waits for another process between two of its steps. */
  readonly stopping: AbortSignal;
}

/** Takes an export on, step by step, each in its account's turn, until it has ended or has to wait. */
export function runExportHandler({ ports, turns, isAway, stopping }: RunExportOptions) {
  return async ({ exportId }: z.output<typeof runExportJob.payload>): Promise<void> => {
    const runner = randomUUID();
    const record = await takeOver(ports, exportId, runner);
    if (!record) {
      return;
    }
    for (;;) {
      if (stopping.aborted) {
        throw new Error('The service is stopping; the export goes on elsewhere.');
      }
      try {
        const step = () => advanceExport(ports, exportId, runner, stopping);
        if ((await turns.take(record.accountId, step)) !== 'more') {
          return;
        }
      } catch (error) {
        // What was broken off by our own stopping is no fault of anything.
        if (!stopping.aborted) {
          await noteExportFault(ports, exportId, isAway(error));
        }
        throw error;
      }
    }
  };
}
