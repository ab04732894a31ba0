import { z } from 'zod';
import { discoveryRunId, holdId, peopleImportId } from '../ids.ts';
import { credits } from '../operations/public-parts.ts';
import { defineJobType, quickRetries } from './job-type.ts';

/** Delivers the records of a paid run. If the attempts run out, the service's sweep enqueues the run again. */
export const deliverRunJob = defineJobType({
  name: 'enrichment.deliver-run',
  payload: z.strictObject({ runId: discoveryRunId }),
  ...quickRetries,
});

/** Charges a recorded preview; the record and this job commit in the same transaction. */
export const chargePreviewJob = defineJobType({
  name: 'enrichment.charge-preview',
  payload: z.strictObject({ holdId, amount: credits }),
  attemptsMax: 12,
  backoffMs: 500,
});

/** Previews or imports a file of people, part by part. */
export const runPeopleImportJob = defineJobType({
  name: 'enrichment.run-people-import',
  payload: z.strictObject({ importId: peopleImportId }),
  ...quickRetries,
});
