import { z } from 'zod';
import { crmImportId, eventDeliveryId, exportId } from '../ids.ts';
import { defineJobType, quickRetries } from './job-type.ts';

/** Runs an export to its end. If the attempts run out, the service's sweep enqueues the export again. */
export const runExportJob = defineJobType({
  name: 'webhook-dispatcher.run-export',
  payload: z.strictObject({ exportId }),
  ...quickRetries,
});

/**
 * Removes the records that a CRM push created. If the attempts run out, the service's sweep enqueues the export again.
 */
export const undoExportJob = defineJobType({
  name: 'webhook-dispatcher.undo-export',
  payload: z.strictObject({ exportId }),
  ...quickRetries,
});

/** Runs a CRM import to its end; while the import waits, its row stays in the outbox. */
export const runCrmImportJob = defineJobType({
  name: 'webhook-dispatcher.run-crm-import',
  payload: z.strictObject({ importId: crmImportId }),
  ...quickRetries,
});

/** Attempts to deliver an event to an endpoint; until the next attempt is due, its row stays in the outbox. */
export const deliverEventJob = defineJobType({
  name: 'webhook-dispatcher.deliver-event',
  payload: z.strictObject({ deliveryId: eventDeliveryId }),
  ...quickRetries,
});
