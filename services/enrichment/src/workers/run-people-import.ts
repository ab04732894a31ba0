import { randomUUID } from 'node:crypto';
import { type StepOptions, takeSteps } from '@mailproof/durable-work';
import type { FairTurns } from '@mailproof/service-kit';
import type { runPeopleImportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import {
  advanceImport,
  noteImportFault,
  type PeopleImportPorts,
  takeOver,
} from '../domain/people-import/advance-import.ts';

/** Previews or imports a file of people part by part, each in its account's turn. */
export function runPeopleImportHandler(
  options: StepOptions & { readonly ports: PeopleImportPorts; readonly turns: FairTurns },
) {
  const { ports, turns } = options;
  return async ({ importId }: z.output<typeof runPeopleImportJob.payload>): Promise<void> => {
    const runner = randomUUID();
    const record = await takeOver(ports, importId, runner);
    if (record) {
      await takeSteps(
        () => turns.take(record.accountId, () => advanceImport(ports, importId, runner)),
        isUnavailable => noteImportFault(ports, importId, runner, isUnavailable),
        options,
      );
    }
  };
}
