import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { oneLine, oneLineFault } from '../../discovery/filter-parts.ts';
import { peopleImport, peopleImportMapping, peopleImportStates } from '../../discovery/people-import.ts';
import { workbookMediaType } from '../../exports/csv-options.ts';
import { peopleImportId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { fileEncodings } from '../../validation-jobs/validation-job.ts';
import { withCommas } from '../../with-commas.ts';
import { streamedAnswer, streamedBody } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const tag = 'People imports';
const importParams = z.strictObject({ import_id: peopleImportId });
const rowsMax = withCommas(limits.peopleImportRowsMax);
const peopleMax = withCommas(limits.ownPeopleMax);

/** Uploads a file of people. */
export const createPeopleImport = defineOperation({
  id: 'create-people-import',
  method: 'post',
  path: '/app/v1/people-imports',
  summary: 'Upload a file of people',
  tag,
  description: `Reads a file with people whom you know, and shows its columns with examples and the fields that they were recognized as. Nothing is imported until you start it. Send the file itself as the body.

Accepts CSV with any delimiter, and NDJSON, in UTF-8, UTF-16 or a named encoding, and Excel workbooks (.xlsx), of which the first visible sheet is read. A file that neither declares its encoding nor is UTF-8 is read as windows-1252, and the import says that this was a guess. Exports of Apollo, HubSpot, LinkedIn Sales Navigator, People Data Labs and Salesforce are recognized by their columns.

Imported people are visible to your account alone: they are among its saved people, free of charge, and can be put into lists, exported, pushed and enriched like them. **Email addresses are never stored**, neither of the people nor of the file.

At most ${rowsMax} rows, ${limits.peopleImportBytesMax / 1_000_000} MB, ${limits.jobColumnsMax} columns and, in all cells, ${withCommas(limits.peopleImportCharactersMax)} characters. At most ${limits.waitingPeopleImportsMax} imports can wait to be started. With the same \`Idempotency-Key\`, the same file returns the import that the first request created.`,
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  query: z.strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(limits.jobNameCharactersMax)
      .regex(oneLine, oneLineFault)
      .optional()
      .describe('Name of the import, such as the file name.'),
    delimiter: z
      .string()
      .regex(/^(?:tab|[^"\r\n\0])$/u, 'must be one character other than a quote, or `tab`')
      .optional()
      .describe('The character between cells, or `tab`.'),
    encoding: z.enum(fileEncodings).optional(),
  }),
  body: streamedBody,
  bodyBytesMax: limits.peopleImportBytesMax,
  bodyMsMax: limits.uploadMsMax,
  bodyMediaType: 'text/csv',
  otherBodyMediaTypes: ['text/plain', 'application/octet-stream', 'application/vnd.ms-excel'],
  otherBodyForms: {
    [workbookMediaType]: { schema: { type: 'string', format: 'binary' } },
    'application/x-ndjson': {
      schema: { type: 'string' },
      example: '{"name":"Ada Lovelace","linkedin_url":"https://www.linkedin.com/in/ada"}\n',
    },
  },
  bodyIsUndecoded: true,
  bodyExample: 'Name,LinkedIn URL,Company\nAda Lovelace,https://www.linkedin.com/in/ada,Analytical Engines\n',
  success: { status: 201, description: 'The import, ready to preview or start.', schema: peopleImport },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [
    'file_not_readable',
    'too_many_rows',
    'too_many_people_imports',
    'request_timeout',
    'idempotency_key_reused',
  ],
});

/** Lists the account's imports. */
export const listPeopleImports = defineOperation({
  id: 'list-people-imports',
  method: 'get',
  path: '/app/v1/people-imports',
  summary: 'List people imports',
  tag,
  description: `The account’s imports of people, newest first. The last ${withCommas(limits.endedPeopleImportsMax)} that have ended are kept.`,
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  query: z.strictObject({ ...pageOf, state: z.enum(peopleImportStates).optional() }),
  success: {
    status: 200,
    description: 'A page of imports.',
    schema: z
      .object({ imports: z.array(peopleImport), next_cursor: nextCursorField })
      .meta({ id: 'PeopleImports' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

const onOne = {
  tag,
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  params: importParams,
} as const;
const one = '/app/v1/people-imports/:import_id';

/** Gets the state of an import. */
export const getPeopleImport = defineOperation({
  ...onOne,
  id: 'get-people-import',
  method: 'get',
  path: one,
  summary: 'Get a people import',
  description: 'The import, with the columns of its file and what became of its rows.',
  success: { status: 200, description: 'The import.', schema: peopleImport },
  repeatable: true,
  problems: ['people_import_not_found'],
});

/** Streams every change of an import. */
export const followPeopleImport = defineOperation({
  ...onOne,
  id: 'follow-people-import',
  method: 'get',
  path: `${one}/events`,
  summary: 'Stream a people import',
  description: `Server-sent events: one event of type \`import\` for every change, with the import as its data, until its preview or the import ends. The event id is the import’s version; with \`Last-Event-ID\` no event is repeated. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; browsers reconnect automatically. At most ${limits.runFollowersMax} streams at once.`,
  success: {
    status: 200,
    description: 'The events.',
    schema: streamedAnswer,
    mediaType: 'text/event-stream',
  },
  repeatable: true,
  problems: ['people_import_not_found', 'too_many_followers'],
});

const mapping = peopleImportMapping
  .optional()
  .describe('By default the mapping of the last preview, or else the one that was detected.');
const passProblems = [
  'people_import_not_found',
  'people_import_not_waiting',
  'people_mapping_not_valid',
  'too_many_people_imports',
] as const;

/** Counts what an import would change. */
export const previewPeopleImport = defineOperation({
  ...onOne,
  id: 'preview-people-import',
  method: 'post',
  path: `${one}/preview`,
  summary: 'Preview a people import',
  description:
    'Reads every row with a mapping and counts what the import would do, without importing anything. It takes seconds, in the background: follow the import until it is `previewed`. You can preview again with another mapping.',
  body: z.strictObject({ mapping }).meta({ id: 'PeopleImportPreview' }),
  bodyExample: { mapping: { full_name: 'Name', profile_url: 'LinkedIn URL', company_name: 'Company' } },
  bodyBytesMax: limits.peopleMappingBytesMax,
  success: { status: 202, description: 'The import, which is being previewed.', schema: peopleImport },
  repeatable: false,
  problems: passProblems,
});

/** Starts an import. */
export const startPeopleImport = defineOperation({
  ...onOne,
  id: 'start-people-import',
  method: 'post',
  path: `${one}/start`,
  summary: 'Start a people import',
  description: `Imports the rows in the background; one import of an account runs at a time. A person is recognized by the profile URL: new values of later imports replace earlier ones, and a blank cell replaces nothing. People whom the account has saved from the store stay as they are. An account can have up to ${peopleMax} imported people. They are deleted after the time for which the operator keeps people, or when they opt out.`,
  body: z
    .strictObject({
      mapping,
      list_id: savedListId
        .optional()
        .describe('A list of people, into which everyone in the file is put who is not refused.'),
    })
    .meta({ id: 'PeopleImportStart' }),
  bodyExample: {},
  bodyBytesMax: limits.peopleMappingBytesMax,
  success: {
    status: 202,
    description: 'The import, which continues in the background.',
    schema: peopleImport,
  },
  repeatable: false,
  problems: [...passProblems, 'saved_list_not_found'],
});

/** Stops a preview or an import. */
export const cancelPeopleImport = defineOperation({
  ...onOne,
  id: 'cancel-people-import',
  method: 'post',
  path: `${one}/cancellation`,
  summary: 'Cancel a people import',
  description:
    'Stops it within a second; people imported until then are kept. The rows of the file are deleted. Does nothing if the import has ended.',
  success: { status: 200, description: 'The import.', schema: peopleImport },
  repeatable: true,
  problems: ['people_import_not_found'],
});

/** Downloads the refused rows of an import. */
export const downloadRefusedPeople = defineOperation({
  ...onOne,
  id: 'download-refused-people',
  method: 'get',
  path: `${one}/refused-rows.csv`,
  summary: 'Download refused rows as CSV',
  description:
    'The line of each row that the last preview or the import refused, with the reason and, if one column is the cause, its name. The rows themselves are not repeated. CSV in UTF-8 (RFC 4180).',
  success: {
    status: 200,
    description: 'The file.',
    schema: streamedAnswer,
    mediaType: 'text/csv',
    headers: { 'content-disposition': { type: 'string', description: 'Suggested file name.' } },
  },
  repeatable: true,
  problems: ['people_import_not_found'],
});

/** Deletes an import. */
export const deletePeopleImport = defineOperation({
  ...onOne,
  id: 'delete-people-import',
  method: 'delete',
  path: one,
  summary: 'Delete a people import',
  description:
    'Deletes an import that is not in progress, with the rows of its file. The people are kept; remove them from the saved people, where `import_id` filters them.',
  success: {
    status: 200,
    description: 'The import is deleted.',
    schema: z.object({ import_id: peopleImportId }),
  },
  repeatable: false,
  problems: ['people_import_not_found', 'people_import_under_way'],
});
