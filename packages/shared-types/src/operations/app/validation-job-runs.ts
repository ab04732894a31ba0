import { z } from 'zod';
import { validationJobId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { validationJob } from '../../validation-jobs/validation-job.ts';
import { noBody, noQuery, streamedAnswer } from '../public-parts.ts';
import { idempotencyNote } from './discovery-parts.ts';
import { memberOnly } from './view-parts.ts';

const parts = {
  tag: 'Validation jobs',
  access: memberOnly,
  params: z.strictObject({ job_id: validationJobId }),
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
} as const;

const root = '/app/v1/validation-jobs/:job_id';

/** Validates the addresses of a job. */
export const startValidationJob = defineOperation({
  ...parts,
  id: 'start-validation-job',
  method: 'post',
  path: `${root}/start`,
  summary: 'Start a job',
  description: `Sets aside the credits for all different addresses of the job, and asks about them in the background. Only addresses with a verdict other than \`unknown\` are charged; the rest is returned at the end. ${idempotencyNote}`,
  success: { status: 202, description: 'The job, which goes on by itself.', schema: validationJob },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [
    'job_not_found',
    'job_not_ready',
    'job_started',
    'no_addresses_found',
    'credits_exhausted',
    'too_many_jobs',
    'idempotency_key_reused',
  ],
});

/** Lets a job wait. */
export const pauseValidationJob = defineOperation({
  ...parts,
  id: 'pause-validation-job',
  method: 'post',
  path: `${root}/pause`,
  summary: 'Pause a job',
  description: `Within seconds nobody is asked about further addresses; answers that are under way still come in. The credits stay set aside. A job that is paused for ${limits.jobPausedDaysMax} days ends, and what it has validated is charged. A job that is paused stays as it is.`,
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_not_under_way'],
});

/** Lets a paused job go on. */
export const resumeValidationJob = defineOperation({
  ...parts,
  id: 'resume-validation-job',
  method: 'post',
  path: `${root}/resumption`,
  summary: 'Resume a job',
  description:
    'Goes on with the addresses that are left. A job that is not paused and under way stays as it is.',
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_not_under_way'],
});

/** Stops a job. */
export const cancelValidationJob = defineOperation({
  ...parts,
  id: 'cancel-validation-job',
  method: 'post',
  path: `${root}/cancellation`,
  summary: 'Cancel a job',
  description:
    'From the answer on nothing more is validated. What was validated stays and is charged, the rest of the credits is returned. A job that has ended stays as it is.',
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found', 'job_not_under_way'],
});

/** Tells of every change of a job. */
export const followValidationJob = defineOperation({
  ...parts,
  id: 'follow-validation-job',
  method: 'get',
  path: `${root}/events`,
  summary: 'Follow a job',
  description: `Server-sent events: one of type \`job\` with the job as its data for every change, at most some a second, until the job has ended. The id of an event is the job’s version; with \`Last-Event-ID\` nothing is told again. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; a browser then connects again by itself. At most ${limits.runFollowersMax} at once.`,
  success: {
    status: 200,
    description: 'The events.',
    schema: streamedAnswer,
    mediaType: 'text/event-stream',
  },
  repeatable: true,
  problems: ['job_not_found', 'too_many_followers'],
});
