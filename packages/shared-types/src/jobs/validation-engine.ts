import { z } from 'zod';
import { deferredProbeId, outcomeReportId, validationJobId } from '../ids.ts';
import { defineJobType, soonAgain } from './job-type.ts';

/** Asks a greylisting host again; the address itself stays in Postgres. */
export const retryProbeJob = defineJobType({
  name: 'validation-engine.retry-probe',
  payload: z.strictObject({ deferredProbeId }),
  attemptsMax: 5,
  backoffMs: 1_000,
});

/** Forgets the remembered verdicts of the addresses in a report of outcomes; the report itself is in Postgres. */
export const forgetVerdictsJob = defineJobType({
  name: 'validation-engine.forget-verdicts',
  payload: z.strictObject({ outcomeReportId }),
  attemptsMax: 5,
  backoffMs: 1_000,
});

/** Validates the addresses of a job, until it has ended or rests. Where it was given up, the service adds it again. */
export const runValidationJobJob = defineJobType({
  name: 'validation-engine.run-validation-job',
  payload: z.strictObject({ jobId: validationJobId }),
  ...soonAgain,
});
