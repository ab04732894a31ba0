import { z } from 'zod';
import { discoveryRunId, holdId } from '../ids.ts';
import { credits } from '../operations/public-parts.ts';
import { defineJobType, soonAgain } from './job-type.ts';

/** Delivers what a run has paid for. Where it was given up, the service finds the run and adds it again. */
export const deliverRunJob = defineJobType({
  name: 'enrichment.deliver-run',
  payload: z.strictObject({ runId: discoveryRunId }),
  ...soonAgain,
});

/** Charges a preview that was recorded; the record and this job commit together. */
export const chargePreviewJob = defineJobType({
  name: 'enrichment.charge-preview',
  payload: z.strictObject({ holdId, amount: credits }),
  attemptsMax: 12,
  backoffMs: 500,
});
