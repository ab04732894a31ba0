import type { FairTurns } from '@mailproof/service-kit';
import type { ExportId, undoExportJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceUndo, noteUndoFault, type UndoPorts } from '../domain/crm/push/undo-push.ts';

export interface UndoExportOptions {
  readonly ports: UndoPorts;
  readonly turns: FairTurns;
  /** Whether an error says that something is away, rather than wrong. */
  readonly isAway: (error: unknown) => boolean;
  /** Aborted when the service stops: it then goes on in another process between two of its steps. */
  readonly stopping: AbortSignal;
}

/** How often in a row a CRM was away or asked us to wait, as this process has seen it. */
interface Trouble {
  awayInARow: number;
  throttledInARow: number;
}

/** Takes away what an export has created, step by step, each in its account's turn. */
export function undoExportHandler({ ports, turns, isAway, stopping }: UndoExportOptions) {
  const troubles = new Map<ExportId, Trouble>();
  return async ({ exportId }: z.output<typeof undoExportJob.payload>): Promise<void> => {
    const record = await ports.undos.find(exportId);
    if (!record) {
      return;
    }
    const trouble = troubles.get(exportId) ?? { awayInARow: 0, throttledInARow: 0 };
    troubles.set(exportId, trouble);
    for (;;) {
      if (stopping.aborted) {
        throw new Error('The service is stopping; the rest is taken away elsewhere.');
      }
      try {
        const step = () => advanceUndo(ports, exportId, trouble, stopping);
        const advance = await turns.take(record.accountId, step);
        if (advance === 'ended') {
          troubles.delete(exportId);
        }
        if (advance !== 'more') {
          return;
        }
      } catch (error) {
        if (!stopping.aborted) {
          await noteUndoFault(ports, exportId, isAway(error));
        }
        throw error;
      }
    }
  };
}
