import { z } from 'zod';
import { exportId } from '../ids.ts';
import { defineJobType } from './job-type.ts';

/** Takes an export to its end. Where it was given up, the service finds the export and adds it again. */
export const runExportJob = defineJobType({
  name: 'webhook-dispatcher.run-export',
  payload: z.strictObject({ exportId }),
  attemptsMax: 8,
  backoffMs: 250,
});

/** Takes away what a push to a CRM has created. Where it was given up, the service finds the export and adds it again. */
export const undoExportJob = defineJobType({
  name: 'webhook-dispatcher.undo-export',
  payload: z.strictObject({ exportId }),
  attemptsMax: 8,
  backoffMs: 250,
});
