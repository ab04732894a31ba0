import { z } from 'zod';
import { crmImport, crmImportStates, newCrmImport } from '../../crm/crm-import.ts';
import { crmConnectionId, crmImportId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery, streamedAnswer } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';
import { memberOnly, nextCursorField } from './view-parts.ts';

const tag = 'CRM imports';
const importParams = z.strictObject({ import_id: crmImportId });
const recordsMax = limits.crmImportRecordsMax.toLocaleString('en');
const validationRecordsMax = limits.crmValidationRecordsMax.toLocaleString('en');

/** Begins an import. */
export const createCrmImport = defineOperation({
  id: 'create-crm-import',
  method: 'post',
  path: '/app/v1/crm-imports',
  summary: 'Import records of a CRM',
  tag,
  description: `Reads records of a connected CRM into a validation job, ${recordsMax} at most; more are refused before anything is done. The job has a column \`crm_record_id\` and one for each property, and its rows stand in the CRM’s order. It shows its counts and its price, and is started like any other, or by itself with \`start_when_ready\`.

With \`write_back\` the results go into properties of the same records when the job has succeeded: a filtered validation, of ${validationRecordsMax} records at most. No record is created, and nothing but the named properties is changed. Records without an address, and those whose address could not be asked about, stay as they are.

Importing and writing back are free of charge. Under the same \`Idempotency-Key\` the same request gets the import that the first one began.`,
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: newCrmImport,
  bodyBytesMax: 262_144,
  success: { status: 202, description: 'The import, which goes on by itself.', schema: crmImport },
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
    'idempotency_key_reused',
  ],
});

/** The imports of the account. */
export const listCrmImports = defineOperation({
  id: 'list-crm-imports',
  method: 'get',
  path: '/app/v1/crm-imports',
  summary: 'CRM imports',
  tag,
  description: 'The imports of the account, newest first.',
  access: memberOnly,
  params: noParams,
  query: z.strictObject({
    ...pageOf,
    state: z.enum(crmImportStates).optional(),
    connection_id: crmConnectionId.optional(),
  }),
  body: noBody,
  bodyBytesMax: 0,
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
  access: memberOnly,
  params: importParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
} as const;
const one = '/app/v1/crm-imports/:import_id';

/** How an import is getting on. */
export const getCrmImport = defineOperation({
  ...onOne,
  id: 'get-crm-import',
  method: 'get',
  path: one,
  summary: 'A CRM import',
  description: 'The import, with its validation job and the export that writes results back by their ids.',
  success: { status: 200, description: 'The import.', schema: crmImport },
  repeatable: true,
  problems: ['crm_import_not_found'],
});

/** Tells of every change of an import. */
export const followCrmImport = defineOperation({
  ...onOne,
  id: 'follow-crm-import',
  method: 'get',
  path: `${one}/events`,
  summary: 'Follow a CRM import',
  description: `Server-sent events: one of type \`import\` with the import as its data for every change, until it has ended. The id of an event is the import’s version; with \`Last-Event-ID\` nothing is told again. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; a browser then connects again by itself. At most ${limits.runFollowersMax} at once.`,
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
    'From the answer on the import begins nothing more; what it has under way is stopped within seconds: reading, the validation, the export that writes results back. What was validated is charged and stays, what was written back stays. A validation job that was not started stays as well. An import that has ended stays as it is.',
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
    'Deletes the record of an import that has ended. Its validation job and its export stay, and are deleted on their own.',
  success: {
    status: 200,
    description: 'It is gone.',
    schema: z.object({ import_id: crmImportId }),
  },
  repeatable: false,
  problems: ['crm_import_not_found', 'crm_import_under_way'],
});
