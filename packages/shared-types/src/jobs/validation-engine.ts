import { z } from 'zod';
import { deferredProbeId, outcomeReportId, validationJobId } from '../ids.ts';
import { defineJobType, quickRetries } from './job-type.ts';

/** Retries a probe at a greylisting host; the address itself stays in Postgres. */
export const retryProbeJob = defineJobType({
  name: 'validation-engine.retry-probe',
  payload: z.strictObject({ deferredProbeId }),
  attemptsMax: 5,
  backoffMs: 1_000,
});

/** Deletes the cached verdicts of the addresses in an outcome report; the report itself is in Postgres. */
export const forgetVerdictsJob = defineJobType({
  name: 'validation-engine.forget-verdicts',
  payload: z.strictObject({ outcomeReportId }),
  attemptsMax: 5,
  backoffMs: 1_000,
});

/**
 * Validates the addresses of a job until the job ends or pauses. If the attempts run out, the service enqueues it
 * again.
 */
export const runValidationJobJob = defineJobType({
  name: 'validation-engine.run-validation-job',
  payload: z.strictObject({ jobId: validationJobId }),
  ...quickRetries,
});
