import type { ExportId, undoExportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceUndo, noteUndoFault, type UndoPorts } from '../domain/crm/push/undo-push.ts';
import { type StepOptions, takeSteps } from './take-steps.ts';

/** How often in a row a CRM was away or asked us to wait, as this process has seen it. */
interface Trouble {
  awayInARow: number;
  throttledInARow: number;
}

/** Takes away what an export has created, step by step, each in its account's turn. */
export function undoExportHandler(options: StepOptions<UndoPorts>) {
  const { ports, turns, stopping } = options;
  const troubles = new Map<ExportId, Trouble>();
  return async ({ exportId }: z.output<typeof undoExportJob.payload>): Promise<void> => {
    const record = await ports.undos.find(exportId);
    if (!record) {
      return;
    }
    const trouble = troubles.get(exportId) ?? { awayInARow: 0, throttledInARow: 0 };
    troubles.set(exportId, trouble);
    const advance = await takeSteps(
      () => turns.take(record.accountId, () => advanceUndo(ports, exportId, trouble, stopping)),
      isAway => noteUndoFault(ports, exportId, isAway),
      options,
    );
    if (advance === 'ended') {
      troubles.delete(exportId);
    }
  };
}
