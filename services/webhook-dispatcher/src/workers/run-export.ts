import { randomUUID } from 'node:crypto';
import type { runExportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceExport, takeOver } from '../domain/exports/advance-export.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import { noteExportFault } from '../domain/exports/note-export-fault.ts';
import { type StepOptions, takeSteps } from './take-steps.ts';

/** Takes an export on, step by step, each in its account's turn, until it has ended or has to wait. */
export function runExportHandler(options: StepOptions<ExportPorts>) {
  const { ports, turns, stopping } = options;
  return async ({ exportId }: z.output<typeof runExportJob.payload>): Promise<void> => {
    const runner = randomUUID();
    const record = await takeOver(ports, exportId, runner);
    if (record) {
      await takeSteps(
        () => turns.take(record.accountId, () => advanceExport(ports, exportId, runner, stopping)),
        isAway => noteExportFault(ports, exportId, runner, isAway),
        options,
      );
    }
  };
}
