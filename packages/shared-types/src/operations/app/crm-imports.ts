import { z } from 'zod';
import { crmImport, crmImportStates, newCrmImport } from '../../crm/crm-import.ts';
import { defineOperation } from '../../define-operation.ts';
import { crmConnectionId, crmImportId, exampleId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { withCommas } from '../../with-commas.ts';
import { streamedAnswer } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const tag = 'CRM imports';
/** Longer than the dispatcher waits for the CRM, so that the client gets the CRM's answer instead of a timeout. */
const importAnswerMsMax = limits.crmAnswerMsMax + 5_000;
const importParams = z.strictObject({ import_id: crmImportId });
const recordsMax = withCommas(limits.crmImportRecordsMax);
const validationRecordsMax = withCommas(limits.crmValidationRecordsMax);

/** Starts an import. */
export const createCrmImport = defineOperation({
  id: 'create-crm-import',
  method: 'post',
  path: '/app/v1/crm-imports',
  summary: 'Import CRM records',
  tag,
  description: `Reads records of a connected CRM into a validation job, at most ${recordsMax}; larger selections are rejected up front. The job has a column \`crm_record_id\` and one column per property, with rows in the CRM’s order. It shows its counts and price, and you start it like any other job, or automatically with \`start_when_ready\`.

With \`write_back\`, the results are written to properties of the same records once the job has succeeded: a filtered validation of at most ${validationRecordsMax} records. No records are created, and only the mapped properties change. Records without an address, or whose address cannot be validated, are unchanged.

With \`list_id\`, the import adds the company of each record to a list of companies instead: the registrable domain of its email address, domain or website. Addresses at free mailbox providers and pages on shared sites, such as profiles in social networks, name no company. All domains are added at the end, or none if the import fails or is canceled before. No validation job is created. Filter searches by the list with \`saved_lists\` and \`excluded_saved_lists\`.

Importing, adding to a list and writing back are free. With the same \`Idempotency-Key\`, the same request returns the import that the first one created.`,
  answeredBy: 'webhook-dispatcher',
  answerMsMax: importAnswerMsMax,
  access: memberOrKey('exports'),
  body: newCrmImport,
  bodyExample: {
    connection_id: exampleId('crmConnection'),
    object: 'contact',
    selection: { segment_id: '42' },
    properties: ['email', 'firstname'],
    address_property: 'email',
  },
  bodyBytesMax: 262_144,
  success: { status: 202, description: 'The import, which continues in the background.', schema: crmImport },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [
    'crm_connection_not_found',
    'crm_access_revoked',
    'crm_not_permitted',
    'crm_refused',
    'crm_busy',
    'crm_unavailable',
    'crm_selection_not_valid',
    'crm_import_too_large',
    'nothing_to_import',
    'too_many_crm_imports',
    'saved_list_not_found',
    'idempotency_key_reused',
  ],
});

/** Lists the account's imports. */
export const listCrmImports = defineOperation({
  id: 'list-crm-imports',
  method: 'get',
  path: '/app/v1/crm-imports',
  summary: 'CRM imports',
  tag,
  description: 'The account’s imports, newest first.',
  answeredBy: 'webhook-dispatcher',
  access: memberOrKey('exports'),
  query: z.strictObject({
    ...pageOf,
    state: z.enum(crmImportStates).optional(),
    connection_id: crmConnectionId.optional(),
  }),
  success: {
    status: 200,
    description: 'A page of imports.',
    schema: z
      .object({ imports: z.array(crmImport), next_cursor: nextCursorField })
      .meta({ id: 'CrmImports' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

const onOne = {
  tag,
  answeredBy: 'webhook-dispatcher',
  access: memberOrKey('exports'),
  params: importParams,
} as const;
const one = '/app/v1/crm-imports/:import_id';

/** Gets the state of an import. */
export const getCrmImport = defineOperation({
  ...onOne,
  id: 'get-crm-import',
  method: 'get',
  path: one,
  summary: 'Get a CRM import',
  description: 'The import, with the ids of its validation job and of the export that writes results back.',
  success: { status: 200, description: 'The import.', schema: crmImport },
  repeatable: true,
  problems: ['crm_import_not_found'],
});

/** Streams every change of an import. */
export const followCrmImport = defineOperation({
  ...onOne,
  id: 'follow-crm-import',
  method: 'get',
  path: `${one}/events`,
  summary: 'Stream a CRM import',
  description: `Server-sent events: one event of type \`import\` for every change, with the import as its data, until the import ends. The event id is the import’s version; with \`Last-Event-ID\` no event is repeated. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; browsers reconnect automatically. At most ${limits.runFollowersMax} streams at once.`,
  success: {
    status: 200,
    description: 'The events.',
    schema: streamedAnswer,
    mediaType: 'text/event-stream',
  },
  repeatable: true,
  problems: ['crm_import_not_found', 'too_many_followers'],
});

/** Stops an import. */
export const cancelCrmImport = defineOperation({
  ...onOne,
  id: 'cancel-crm-import',
  method: 'post',
  path: `${one}/cancellation`,
  summary: 'Cancel a CRM import',
  description:
    'The import starts nothing new. Work in progress (reading, validation, writing back) stops within seconds. Validated addresses are charged and kept; records already written back stay. A validation job that was not started is kept. Does nothing if the import has ended.',
  success: { status: 200, description: 'The import.', schema: crmImport },
  repeatable: true,
  problems: ['crm_import_not_found'],
});

/** Deletes an import. */
export const deleteCrmImport = defineOperation({
  ...onOne,
  id: 'delete-crm-import',
  method: 'delete',
  path: one,
  summary: 'Delete a CRM import',
  description:
    'Deletes an import that has ended. Its validation job and its export are kept; delete them separately.',
  success: {
    status: 200,
    description: 'The import is deleted.',
    schema: z.object({ import_id: crmImportId }),
  },
  repeatable: false,
  problems: ['crm_import_not_found', 'crm_import_under_way'],
});
