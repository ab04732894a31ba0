import { z } from 'zod';
import { deferredProbeId } from '../ids.ts';
import { defineJobType } from './job-type.ts';

/** Asks a greylisting host again; the address itself stays in Postgres. */
export const retryProbeJob = defineJobType({
  name: 'validation-engine.retry-probe',
  payload: z.strictObject({ deferredProbeId }),
  attemptsMax: 5,
  backoffMs: 1_000,
});
