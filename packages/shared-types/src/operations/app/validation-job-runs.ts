import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { validationJobId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { validationJob } from '../../validation-jobs/validation-job.ts';
import { queryNumber } from '../internal/ledger/parts.ts';
import { streamedAnswer } from '../public-parts.ts';
import { idempotencyNote } from './discovery-parts.ts';
import { memberOrKey } from './view-parts.ts';

const parts = {
  tag: 'Validation jobs',
  answeredBy: 'validation-engine',
  access: memberOrKey('validation'),
  sandbox: true,
  params: z.strictObject({ job_id: validationJobId }),
} as const;

const root = '/app/v1/validation-jobs/:job_id';

/** Starts the validation of a job's addresses. */
export const startValidationJob = defineOperation({
  ...parts,
  id: 'start-validation-job',
  price: 'validation',
  method: 'post',
  path: `${root}/start`,
  query: z.strictObject({
    credits_max: queryNumber(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('Most credits that the start may reserve. A job that costs more is not started.'),
  }),
  summary: 'Start a job',
  description: `Reserves credits for all distinct addresses of the job and validates them in the background. Only addresses with a verdict other than \`unknown\` are charged; unspent credits are returned at the end. ${idempotencyNote}`,
  success: { status: 202, description: 'The job, which continues in the background.', schema: validationJob },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [
    'job_not_found',
    'job_not_ready',
    'job_started',
    'no_addresses_found',
    'price_above_limit',
    'credits_exhausted',
    'too_many_jobs',
    'idempotency_key_reused',
  ],
});

/** Pauses a job. */
export const pauseValidationJob = defineOperation({
  ...parts,
  id: 'pause-validation-job',
  method: 'post',
  path: `${root}/pause`,
  summary: 'Pause a job',
  description: `No further addresses are validated within seconds; results in progress still arrive. The credits stay reserved. A job that is paused for ${limits.jobPausedDaysMax} days ends, and the validated addresses are charged. Does nothing if the job is already paused.`,
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_not_under_way'],
});

/** Resumes a paused job. */
export const resumeValidationJob = defineOperation({
  ...parts,
  id: 'resume-validation-job',
  method: 'post',
  path: `${root}/resumption`,
  summary: 'Resume a job',
  description:
    'Continues with the remaining addresses. Does nothing if the job is in progress and not paused.',
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_not_under_way'],
});

/** Ends a job at once, with the results that it has. */
export const finishValidationJob = defineOperation({
  ...parts,
  id: 'finish-validation-job',
  method: 'post',
  path: `${root}/finish`,
  summary: 'Finish a job now',
  description:
    'Ends the job at once instead of waiting for slow and greylisting hosts. Addresses without a verdict become `unknown` with the reason `not_finished`, free of charge; the other credits are returned, and the job ends as `succeeded`. Does nothing if the job has ended or is ending, so it is safe to repeat. Validate only the remaining rows later with `revalidation`.',
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_not_under_way'],
});

/** Cancels a job. */
export const cancelValidationJob = defineOperation({
  ...parts,
  id: 'cancel-validation-job',
  method: 'post',
  path: `${root}/cancellation`,
  summary: 'Cancel a job',
  description:
    'Nothing more is validated. Validated addresses are kept and charged; the remaining credits are returned. Does nothing if the job has ended. Validate only the remaining rows later with `revalidation`.',
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_not_under_way'],
});

/** Creates a job from the rows of another that have no clear result. */
export const revalidateUnknownRows = defineOperation({
  ...parts,
  id: 'revalidate-unknown-rows',
  method: 'post',
  path: `${root}/revalidation`,
  summary: 'Validate remaining rows',
  description: `Creates a job from the rows of a job that has ended whose result is \`unknown\`, or which have no result because the job was canceled, ran out of credits or failed. None of them was charged. The new job has their cells, in their order. Like an uploaded list, it shows its price in \`cost_max\`, and nothing is validated or charged before you start it. With the same \`Idempotency-Key\`, the request returns the job that the first one created.`,
  success: { status: 201, description: 'The new job, ready to start.', schema: validationJob },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: ['job_not_found', 'job_under_way', 'no_unknown_rows', 'too_many_unstarted_jobs'],
});

/** Streams every change of a job. */
export const followValidationJob = defineOperation({
  ...parts,
  id: 'follow-validation-job',
  method: 'get',
  path: `${root}/events`,
  summary: 'Stream a job',
  description: `Server-sent events: one event of type \`job\` for every change, with the job as its data, at most a few per second, until the job ends. The event id is the job’s version; with \`Last-Event-ID\` no event is repeated. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; browsers reconnect automatically. At most ${limits.runFollowersMax} streams at once.`,
  success: {
    status: 200,
    description: 'The events.',
    schema: streamedAnswer,
    mediaType: 'text/event-stream',
  },
  repeatable: true,
  problems: ['job_not_found', 'too_many_followers'],
});
