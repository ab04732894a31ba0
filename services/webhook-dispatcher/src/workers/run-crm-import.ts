import { randomUUID } from 'node:crypto';
import type { runCrmImportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceImport, reads, takeOver } from '../domain/crm/imports/advance-import.ts';
import type { ImportPorts } from '../domain/crm/imports/import-ports.ts';
import { noteImportFault } from '../domain/crm/imports/note-import-fault.ts';
import { type StepOptions, takeSteps } from './take-steps.ts';

/** Takes an import on, step by step, until it has ended or has to wait. */
export function runCrmImportHandler(options: StepOptions<ImportPorts>) {
  const { ports, turns, stopping } = options;
  return async ({ importId }: z.output<typeof runCrmImportJob.payload>): Promise<void> => {
    const runner = randomUUID();
    const record = await takeOver(ports, importId, runner);
    if (!record) {
      return;
    }
    let isReading = reads(record);
    await takeSteps(
      async () => {
        const step = () => advanceImport(ports, importId, runner, stopping);
        // Reading takes room in memory, and its turn; all steps behind it are short.
        const advance = await (isReading ? turns.take(record.accountId, step) : step());
        isReading = false;
        return advance;
      },
      isAway => noteImportFault(ports, importId, runner, isAway),
      options,
    );
  };
}
