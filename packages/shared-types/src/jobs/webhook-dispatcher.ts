import { z } from 'zod';
import { crmImportId, exportId } from '../ids.ts';
import { defineJobType, soonAgain } from './job-type.ts';

/** Takes an export to its end. Where it was given up, the service finds the export and adds it again. */
export const runExportJob = defineJobType({
  name: 'webhook-dispatcher.run-export',
  payload: z.strictObject({ exportId }),
  ...soonAgain,
});

/** Takes away what a push to a CRM has created. Where it was given up, the service finds the export and adds it again. */
export const undoExportJob = defineJobType({
  name: 'webhook-dispatcher.undo-export',
  payload: z.strictObject({ exportId }),
  ...soonAgain,
});

/** Takes an import from a CRM to its end; it waits in the outbox for whatever takes its time. */
export const runCrmImportJob = defineJobType({
  name: 'webhook-dispatcher.run-crm-import',
  payload: z.strictObject({ importId: crmImportId }),
  ...soonAgain,
});
