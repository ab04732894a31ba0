import { randomUUID } from 'node:crypto';
import { type StepOptions, takeSteps } from '@mailproof/durable-work';
import type { FairTurns } from '@mailproof/service-kit';
import type { runCrmImportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceImport, noteImportFault, reads, takeOver } from '../domain/crm/imports/advance-import.ts';
import type { ImportPorts } from '../domain/crm/imports/import-ports.ts';

/** Advances an import step by step until it has ended or has to wait. */
export function runCrmImportHandler(
  options: StepOptions & { readonly ports: ImportPorts; readonly turns: FairTurns },
) {
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
        // Reading takes memory, so it waits for its turn; all later steps are short.
        const advance = await (isReading ? turns.take(record.accountId, step) : step());
        isReading = false;
        return advance;
      },
      isUnavailable => noteImportFault(ports, importId, runner, isUnavailable),
      options,
    );
  };
}
