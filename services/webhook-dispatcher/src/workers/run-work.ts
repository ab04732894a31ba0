import { randomUUID } from 'node:crypto';
import { type StepOptions, takeSteps } from '@mailproof/durable-work';
import type { FairTurns } from '@mailproof/service-kit';
import type {
  AccountId,
  deliverEventJob,
  ExportId,
  runExportJob,
  undoExportJob,
} from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceUndo, noteUndoFault, type UndoPorts } from '../domain/crm/push/undo-push.ts';
import {
  attemptDelivery,
  type DeliveryPorts,
  noteDeliveryFault,
  putBack,
} from '../domain/events/delivery.ts';
import { advanceExport, noteExportFault, takeOver } from '../domain/exports/advance-export.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';

/** Advances an export step by step, each in its account's turn, until it has ended or has to wait. */
export function runExportHandler(
  options: StepOptions & { readonly ports: ExportPorts; readonly turns: FairTurns },
) {
  const { ports, turns, stopping } = options;
  return async ({ exportId }: z.output<typeof runExportJob.payload>): Promise<void> => {
    const runner = randomUUID();
    const record = await takeOver(ports, exportId, runner);
    if (record) {
      await takeSteps(
        () => turns.take(record.accountId, () => advanceExport(ports, exportId, runner, stopping)),
        isUnavailable => noteExportFault(ports, exportId, runner, isUnavailable),
        options,
      );
    }
  };
}

/**
 * Attempts a delivery in its account's turn. Deliveries that wait for a slow receiver occupy workers, so an account has
 * at most `perAccountMax` of them in this process; the others come back a little later.
 */
export function deliverEventHandler(
  options: StepOptions & {
    readonly ports: DeliveryPorts;
    readonly turns: FairTurns;
    readonly perAccountMax: number;
  },
) {
  const { ports, turns, perAccountMax, stopping } = options;
  const working = new Map<AccountId, number>();
  const count = (accountId: AccountId, more: 1 | -1) => {
    const deliveries = (working.get(accountId) ?? 0) + more;
    if (deliveries === 0) working.delete(accountId);
    else working.set(accountId, deliveries);
  };
  return async ({ deliveryId }: z.output<typeof deliverEventJob.payload>): Promise<void> => {
    const delivery = await ports.deliveries.find(deliveryId);
    if (!delivery) {
      return;
    }
    const { accountId } = delivery;
    if ((working.get(accountId) ?? 0) >= perAccountMax) {
      return putBack(ports, delivery);
    }
    count(accountId, 1);
    try {
      await takeSteps(
        () =>
          turns.take(accountId, async () => {
            if (stopping.aborted) {
              throw new Error('The service is stopping; another process continues the work.');
            }
            return attemptDelivery(ports, deliveryId);
          }),
        isUnavailable => noteDeliveryFault(ports, deliveryId, isUnavailable),
        options,
      );
    } finally {
      count(accountId, -1);
    }
  };
}

/** How many times in a row this process found a CRM unavailable or was asked to wait. */
interface Trouble {
  unavailableInARow: number;
  throttledInARow: number;
}

/** Removes the records that an export has created, step by step, each in its account's turn. */
export function undoExportHandler(
  options: StepOptions & { readonly ports: UndoPorts; readonly turns: FairTurns },
) {
  const { ports, turns, stopping } = options;
  const troubles = new Map<ExportId, Trouble>();
  return async ({ exportId }: z.output<typeof undoExportJob.payload>): Promise<void> => {
    const record = await ports.undos.find(exportId);
    if (!record) {
      return;
    }
    const trouble = troubles.get(exportId) ?? { unavailableInARow: 0, throttledInARow: 0 };
    troubles.set(exportId, trouble);
    const advance = await takeSteps(
      () => turns.take(record.accountId, () => advanceUndo(ports, exportId, trouble, stopping)),
      isUnavailable => noteUndoFault(ports, exportId, isUnavailable),
      options,
    );
    if (advance === 'ended') {
      troubles.delete(exportId);
    }
  };
}
