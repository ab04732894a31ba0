import { z } from 'zod';
import { crmOptions } from '../../crm/crm-mapping.ts';
import { crmActions } from '../../crm/crm-push.ts';
import { defineOperation } from '../../define-operation.ts';
import { csvOptions, fileOptions, workbookMediaType } from '../../exports/csv-options.ts';
import {
  exportRecord,
  exportRow,
  exportRowStates,
  exportStatuses,
  exportTargets,
  pushBeginning,
} from '../../exports/export.ts';
import { exportSource } from '../../exports/export-source.ts';
import { webhookDestination, webhookOptions } from '../../exports/webhook-destination.ts';
import { exportId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { withCommas } from '../../with-commas.ts';
import { streamedAnswer } from '../public-parts.ts';
import { crmProblems } from './crm-connections.ts';
import { oneLineText, pageOf } from './discovery-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const parts = {
  tag: 'Exports',
  answeredBy: 'webhook-dispatcher',
  access: memberOrKey('exports'),
  sandbox: true,
} as const;

const exportParams = z.strictObject({ export_id: exportId });
const rowsMax = withCommas(limits.exportRowsMax);

const newExport = {
  source: exportSource,
  name: oneLineText(limits.jobNameCharactersMax)
    .optional()
    .describe('Name of the export and its file. Derived from the source if omitted.'),
};

const startedExport = {
  status: 202,
  description: 'The export, which continues in the background.',
  schema: exportRecord
    .extend({ push: pushBeginning.optional().describe('For pushes to a webhook only.') })
    .meta({ id: 'StartedExport' }),
} as const;

/** Problems that reading the source of an export can return. */
const sourceProblems = [
  'export_source_not_found',
  'export_source_not_ready',
  'export_too_large',
  'nothing_to_export',
] as const;

/** Previews an export. */
export const surveyExport = defineOperation({
  ...parts,
  id: 'survey-export',
  method: 'post',
  path: '/app/v1/export-surveys',
  summary: 'Preview an export',
  description:
    'Counts the rows of a source, lists the fields of the export, and shows the first rows. Nothing is created or stored.',
  body: z.strictObject({ source: exportSource }),
  success: {
    status: 200,
    description: 'The preview.',
    schema: z
      .object({
        rows: z.int().nonnegative(),
        rows_open: z
          .int()
          .nonnegative()
          .describe('Rows of a running validation job without a result, which an export now leaves out.'),
        rows_max: z.int().positive().describe('Maximum rows per export.'),
        columns: z
          .array(z.string())
          .describe(
            'Field names, in order. A field of yours with the name of one of ours is called `input_<name>`.',
          ),
        samples: z
          .array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
          .describe('The first rows, in column order.'),
      })
      .meta({ id: 'ExportSurvey' }),
  },
  repeatable: true,
  problems: ['export_source_not_found', 'export_source_not_ready'],
});

/** Starts an export. */
export const createExport = defineOperation({
  ...parts,
  id: 'create-export',
  method: 'post',
  path: '/app/v1/exports',
  summary: 'Create an export',
  description: `Exports the current rows of a source, at most ${rowsMax}, as a file to download, to a webhook row by row, or to a CRM. Larger sources are rejected up front. Of a validation job in progress, it exports the rows that have a result; \`rows.open\` counts the others. Exports are free. With the same \`Idempotency-Key\`, the same request returns the export that the first one created.`,
  // The service counts the rows of the source and may query a CRM.
  answerMsMax: 40_000,
  body: z
    .discriminatedUnion('target', [
      z
        .strictObject({ ...newExport, target: z.literal('csv'), options: fileOptions.optional() })
        .meta({ id: 'NewCsvExport' }),
      z
        .strictObject({
          ...newExport,
          target: z.literal('webhook'),
          options: webhookOptions.optional(),
          destination: webhookDestination,
        })
        .meta({ id: 'NewWebhookExport' }),
      z
        .strictObject({ ...newExport, target: z.literal('crm'), options: crmOptions })
        .meta({ id: 'NewCrmExport' }),
    ])
    .meta({ id: 'NewExport' }),
  bodyBytesMax: limits.newExportBytesMax,
  success: startedExport,
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [
    ...sourceProblems,
    'too_many_exports',
    'destination_not_valid',
    'idempotency_key_reused',
    ...crmProblems,
    'crm_mapping_not_valid',
  ],
});

/** Sends the failed rows of a push again, in another export. */
export const resendFailedRows = defineOperation({
  ...parts,
  id: 'resend-failed-rows',
  method: 'post',
  path: '/app/v1/exports/:export_id/resend',
  summary: 'Resend failed rows',
  description:
    'Creates an export of the rows of a push that failed permanently, with its source, target and options; each row has three attempts again. Their current values are read from the source. A push to a webhook needs its destination again, which is deleted when a push ends. Free. With the same `Idempotency-Key`, the same request returns the export that the first one created.',
  answerMsMax: 40_000,
  params: exportParams,
  body: z
    .strictObject({
      destination: webhookDestination.optional().describe('Required for a push to a webhook.'),
      name: newExport.name,
    })
    .meta({ id: 'FailedRowsToResend' }),
  success: startedExport,
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [
    'export_not_found',
    'export_in_progress',
    'nothing_to_export',
    'too_many_exports',
    'destination_not_valid',
    'idempotency_key_reused',
    ...crmProblems,
    'crm_mapping_not_valid',
  ],
});

/** Lists the account's exports. */
export const listExports = defineOperation({
  ...parts,
  id: 'list-exports',
  method: 'get',
  path: '/app/v1/exports',
  summary: 'Exports',
  description: 'The account’s exports, newest first.',
  query: z.strictObject({
    ...pageOf,
    status: z.enum(exportStatuses).optional(),
    target: z.enum(exportTargets).optional(),
  }),
  success: {
    status: 200,
    description: 'A page of exports.',
    schema: z
      .object({ exports: z.array(exportRecord), next_cursor: nextCursorField })
      .meta({ id: 'Exports' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Gets the state of an export. */
export const getExport = defineOperation({
  ...parts,
  id: 'get-export',
  method: 'get',
  path: '/app/v1/exports/:export_id',
  summary: 'Get an export',
  description: 'The export with its row counts.',
  params: exportParams,
  success: { status: 200, description: 'The export.', schema: exportRecord },
  repeatable: true,
  problems: ['export_not_found'],
});

/** Streams every change of an export. */
export const followExport = defineOperation({
  ...parts,
  id: 'follow-export',
  method: 'get',
  path: '/app/v1/exports/:export_id/events',
  summary: 'Stream an export',
  description: `Server-sent events: one event of type \`export\` for every change, with the export as its data, at most a few per second, until the export ends. The event id is the export’s version; with \`Last-Event-ID\` no event is repeated. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; browsers reconnect automatically. At most ${limits.runFollowersMax} streams at once.`,
  params: exportParams,
  success: {
    status: 200,
    description: 'The events.',
    schema: streamedAnswer,
    mediaType: 'text/event-stream',
  },
  repeatable: true,
  problems: ['export_not_found', 'too_many_followers'],
});

/** Deletes an export. */
export const deleteExport = defineOperation({
  ...parts,
  id: 'delete-export',
  method: 'delete',
  path: '/app/v1/exports/:export_id',
  summary: 'Delete an export',
  description:
    'Deletes the export immediately. If it is in progress, it ends: delivered rows stay where they are, and no more rows are delivered. The source is kept.',
  params: exportParams,
  success: {
    status: 200,
    description: 'The export is deleted.',
    schema: z.object({ deleted: z.literal(true) }),
  },
  repeatable: true,
  problems: ['export_not_found'],
});

/** Lists the rows of an export with their outcomes. */
export const listExportRows = defineOperation({
  ...parts,
  id: 'list-export-rows',
  method: 'get',
  path: '/app/v1/exports/:export_id/rows',
  summary: 'List the rows of an export',
  description:
    'The status of each row, in order: what it is about, the number of attempts, and the error if any. Names and addresses are read from the source and not stored.',
  params: exportParams,
  query: z.strictObject({
    ...pageOf,
    state: z.enum(exportRowStates).optional(),
    action: z.enum(crmActions).optional().describe('For a push to a CRM, only rows with this action.'),
  }),
  success: {
    status: 200,
    description: 'A page of rows.',
    schema: z.object({ rows: z.array(exportRow), next_cursor: nextCursorField }).meta({ id: 'ExportRows' }),
  },
  repeatable: true,
  problems: ['export_not_found', 'invalid_cursor'],
});

const file = {
  status: 200,
  description: 'The file.',
  schema: streamedAnswer,
  mediaType: 'text/csv',
  headers: { 'content-disposition': { type: 'string', description: 'Suggested file name.' } },
} as const;

const cellsNote =
  'UTF-8, with lines ending in CRLF (RFC 4180). An apostrophe is added where a spreadsheet would read a formula: at the start of a cell, and after a comma, semicolon, vertical bar, tab or line break inside it. Numbers and phone numbers are unchanged.';

/** Downloads the file of an export. */
export const downloadExport = defineOperation({
  ...parts,
  id: 'download-export',
  method: 'get',
  path: '/app/v1/exports/:export_id/file',
  summary: 'Download an export',
  description: `The rows in the format of the export, streamed. As CSV, if the export names nothing else: ${cellsNote} As a workbook (.xlsx): text cells are text, also if they begin like a formula, and numbers are numbers; there are no styles. Rows whose record has been deleted are left out.`,
  params: exportParams,
  success: { ...file, otherMediaTypes: ['application/x-ndjson', workbookMediaType] },
  repeatable: true,
  problems: ['export_not_found', 'export_not_ready', 'export_source_not_found', 'too_many_downloads'],
});

/** Downloads the rows of an export as JSON. */
export const downloadExportLines = defineOperation({
  ...parts,
  id: 'download-export-lines',
  method: 'get',
  path: '/app/v1/exports/:export_id/lines',
  summary: 'Download an export as NDJSON',
  description:
    'The same rows as in the CSV file, streamed: one JSON object a line, with the columns as members. Numbers and booleans of ours are not text, a value that is not known is null, and no apostrophes are added.',
  params: exportParams,
  success: { ...file, mediaType: 'application/x-ndjson' },
  repeatable: true,
  problems: ['export_not_found', 'export_not_ready', 'export_source_not_found', 'too_many_downloads'],
});

/** Downloads the failed rows of an export. */
export const downloadFailedRows = defineOperation({
  ...parts,
  id: 'download-failed-rows',
  method: 'get',
  path: '/app/v1/exports/:export_id/failed-rows',
  summary: 'Download failed rows',
  description: `The rows that failed permanently, read again from their source, with \`failed_row\` (the number of the row in its list, or in the export), \`failed_attempts\`, \`failed_status_code\` and \`failed_reason\` after their own columns. ${cellsNote}`,
  params: exportParams,
  query: csvOptionsQuery(),
  success: file,
  repeatable: true,
  problems: ['export_not_found', 'export_source_not_found', 'too_many_downloads'],
});

/** The CSV options as query parameters, whose values are text. */
function csvOptionsQuery() {
  return z.strictObject({
    delimiter: csvOptions.shape.delimiter,
    byte_order_mark: z.enum(['true', 'false']).optional(),
  });
}
