import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { accountId, creatorId, crmImportId, requestId, savedListId, validationJobId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { validationJob } from '../../validation-jobs/validation-job.ts';
import { oneLineText } from '../app/discovery-parts.ts';
import { streamedBody } from '../public-parts.ts';
import { queryNumber } from './ledger/parts.ts';

const access = { kind: 'service', callers: ['webhook-dispatcher'] } as const;
const root = '/internal/v1/accounts/:accountId/crm-jobs/:jobId';
const params = z.strictObject({ accountId, jobId: validationJobId });

const parts = { answeredBy: 'validation-engine', access } as const;

/** Adds CRM records to a validation job as its rows (ADR 0041). */
export const takeCrmRows = defineOperation({
  ...parts,
  id: 'take-crm-rows',
  method: 'post',
  path: '/internal/v1/accounts/:accountId/users/:creatorId/crm-jobs/:jobId',
  summary: 'Upload CRM records',
  description: `Newline-delimited JSON: first the column names, then the cells of one row per line; an empty line keeps the connection alive, and the last line is \`"end"\`. At most ${limits.jobRowsMax} rows. The caller sets the job id. \`replaces\` hides an earlier job whose upload was interrupted.`,
  params: params.extend({ creatorId }),
  query: z.strictObject({
    name: oneLineText(limits.jobNameCharactersMax),
    address_column: queryNumber(0, limits.jobColumnsMax - 1),
    replaces: validationJobId.optional(),
  }),
  body: streamedBody,
  bodyBytesMax: limits.jobUploadBytesMax,
  bodyMsMax: limits.uploadMsMax,
  bodyMediaType: 'application/x-ndjson',
  success: { status: 201, description: 'The job, ready to start.', schema: validationJob },
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

/** Gets the state of a job of an import. */
export const getCrmJob = defineOperation({
  ...parts,
  id: 'get-crm-job',
  method: 'get',
  path: root,
  summary: 'Get a validation job of an import',
  description: 'The job as the account sees it.',
  params,
  success: { status: 200, description: 'The job.', schema: validationJob },
  repeatable: true,
  problems: ['job_not_found'],
});

/** Starts a job on behalf of an import. */
export const startCrmJob = defineOperation({
  ...parts,
  id: 'start-crm-job',
  method: 'post',
  path: `${root}/start`,
  summary: 'Start a validation job of an import',
  description:
    'Starts a job that is ready, unless it costs more than `credits_max`. Does nothing if the job has started.',
  price: 'validation',
  params,
  body: z.strictObject({ request_id: requestId, credits_max: z.int().nonnegative() }),
  success: { status: 200, description: 'The job, in progress or ended.', schema: validationJob },
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

/** Stops a running job of an import. */
export const stopCrmJob = defineOperation({
  ...parts,
  id: 'stop-crm-job',
  method: 'post',
  path: `${root}/stop`,
  summary: 'Stop a validation job of an import',
  description:
    'Hides a job whose rows have not arrived, cancels a job in progress, and does nothing otherwise. Idempotent.',
  params,
  success: {
    status: 200,
    description: 'The job is not in progress.',
    schema: z.object({ jobId: validationJobId }),
  },
  repeatable: true,
  problems: [],
});

/** Adds the companies of CRM records to a saved list (ADR 0041). */
export const addCrmCompanies = defineOperation({
  id: 'add-crm-companies',
  method: 'post',
  path: '/internal/v1/accounts/:accountId/saved-lists/:listId/crm-companies',
  summary: 'Add companies of a CRM to a list',
  description:
    'Adds all domains, or none if the list has no room for them. Repeated for the same import, it changes nothing and returns the same counts. Without domains, it only checks the list.',
  answeredBy: 'enrichment',
  access,
  params: z.strictObject({ accountId, listId: savedListId }),
  body: z.strictObject({
    import_id: crmImportId,
    domains: z
      .array(
        z
          .string()
          .max(253)
          .regex(/^[a-z\d.-]+$/),
      )
      .max(limits.crmImportRecordsMax)
      .describe('Distinct domains in A-labels.'),
  }),
  // Fits the most domains at their greatest length.
  bodyBytesMax: 13_107_200,
  success: {
    status: 200,
    description: 'The domains are on the list, unless `refused` says why not.',
    schema: z.object({
      refused: z.enum(['list_of_people', 'list_full']).nullable(),
      added: z.int().nonnegative().describe('Domains that this import has added.'),
      present: z.int().nonnegative().describe('Domains that were on the list already.'),
    }),
  },
  repeatable: true,
  problems: ['saved_list_not_found'],
});
