import { z } from 'zod';
import { accountId, requestId, userId, validationJobId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { validationJob } from '../../validation-jobs/validation-job.ts';
import { oneLineText } from '../app/discovery-parts.ts';
import { noBody, noQuery, streamedBody } from '../public-parts.ts';
import { queryNumber } from './ledger/parts.ts';

const access = { kind: 'service', callers: ['webhook-dispatcher'] } as const;
const root = '/internal/v1/accounts/:accountId/crm-jobs/:jobId';
const params = z.strictObject({ accountId, jobId: validationJobId });

/** Takes records of a CRM in as the rows of a validation job (ADR 0041). */
export const takeCrmRows = defineOperation({
  id: 'take-crm-rows',
  method: 'post',
  path: '/internal/v1/accounts/:accountId/users/:userId/crm-jobs/:jobId',
  summary: 'Take in records of a CRM',
  description: `Lines of JSON: first the names of the columns, then the cells of one row each; a line that is empty says that the sender is still there, and \`"end"\` stands last. ${limits.jobRowsMax} rows at most. The job bears the id that the caller gives. \`replaces\` takes an earlier job out of sight that did not come in to its end.`,
  access,
  params: params.extend({ userId }),
  query: z.strictObject({
    name: oneLineText(limits.jobNameCharactersMax),
    address_column: queryNumber(0, limits.jobColumnsMax - 1),
    replaces: validationJobId.optional(),
  }),
  body: streamedBody,
  bodyBytesMax: limits.jobUploadBytesMax,
  bodyMsMax: limits.uploadMsMax,
  bodyMediaType: 'application/x-ndjson',
  success: { status: 201, description: 'The job, ready to be started.', schema: validationJob },
  repeatable: false,
  problems: [
    'invalid_request',
    'body_too_large',
    'file_not_readable',
    'no_addresses_found',
    'too_many_rows',
    'too_many_unstarted_jobs',
    'request_timeout',
  ],
});

/** How a job is getting on. */
export const getCrmJob = defineOperation({
  id: 'get-crm-job',
  method: 'get',
  path: root,
  summary: 'A validation job of an import',
  description: 'The job as its account sees it.',
  access,
  params,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found'],
});

/** Starts a job on behalf of an import. */
export const startCrmJob = defineOperation({
  id: 'start-crm-job',
  method: 'post',
  path: `${root}/start`,
  summary: 'Start a validation job of an import',
  description:
    'Starts a job that is ready, unless it costs more than `credits_max`. One that was started stays as it is.',
  access,
  params,
  query: noQuery,
  body: z.strictObject({ request_id: requestId, credits_max: z.int().nonnegative() }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The job, under way or ended.', schema: validationJob },
  repeatable: true,
  problems: [
    'invalid_request',
    'job_not_found',
    'job_not_ready',
    'price_above_limit',
    'credits_exhausted',
    'too_many_jobs',
    'no_addresses_found',
  ],
});

/** Stops what a job of an import has under way. */
export const stopCrmJob = defineOperation({
  id: 'stop-crm-job',
  method: 'post',
  path: `${root}/stop`,
  summary: 'Stop a validation job of an import',
  description:
    'A job whose rows have not come in is taken out of sight, one that is under way is cancelled, any other stays as it is. Idempotent.',
  access,
  params,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'Nothing of it is under way.',
    schema: z.object({ jobId: validationJobId }),
  },
  repeatable: true,
  problems: [],
});
