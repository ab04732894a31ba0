import { z } from 'zod';
import { crmOptions } from '../../crm/crm-mapping.ts';
import { crmActions } from '../../crm/crm-push.ts';
import { csvOptions } from '../../exports/csv-options.ts';
import {
  exportRecord,
  exportRow,
  exportRowStates,
  exportStatuses,
  exportTargets,
} from '../../exports/export.ts';
import { exportSource } from '../../exports/export-source.ts';
import { webhookDestination, webhookOptions } from '../../exports/webhook-destination.ts';
import { pushBeginning } from '../../exports/webhook-push.ts';
import { exportId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery, streamedAnswer } from '../public-parts.ts';
import { crmProblems } from './crm-connections.ts';
import { oneLineText, pageOf } from './discovery-parts.ts';
import { memberOnly, nextCursorField } from './view-parts.ts';

const tag = 'Exports';
const exportParams = z.strictObject({ export_id: exportId });
const rowsMax = limits.exportRowsMax.toLocaleString('en');

const newExport = {
  source: exportSource,
  name: oneLineText(limits.jobNameCharactersMax)
    .optional()
    .describe('What people call it, and its file. Made up from the source if left out.'),
};

/** Problems of looking at what is to be exported. */
const sourceProblems = [
  'export_source_not_found',
  'export_source_not_ready',
  'export_too_large',
  'nothing_to_export',
] as const;

/** What an export would have, before there is one. */
export const surveyExport = defineOperation({
  id: 'survey-export',
  method: 'post',
  path: '/app/v1/export-surveys',
  summary: 'What an export would have',
  tag,
  description:
    'Counts the rows of a source and names the fields of an export, and shows the first rows. Nothing is begun or kept.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ source: exportSource }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'What it would have.',
    schema: z
      .object({
        rows: z.int().nonnegative(),
        rows_max: z.int().positive().describe('Rows that one export takes.'),
        columns: z
          .array(z.string())
          .describe(
            'Names of the fields, in their order; one of yours that bears a name of ours is `input_<name>`.',
          ),
        samples: z
          .array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
          .describe('The first rows, in the order of the columns.'),
      })
      .meta({ id: 'ExportSurvey' }),
  },
  repeatable: true,
  problems: ['export_source_not_found', 'export_source_not_ready'],
});

/** Begins an export. */
export const createExport = defineOperation({
  id: 'create-export',
  method: 'post',
  path: '/app/v1/exports',
  summary: 'Begin an export',
  tag,
  description: `Takes the rows that the source has now, ${rowsMax} at most, to a file for download, one by one to a webhook, or into a CRM. More rows are refused before anything is done. Exports are free of charge. Under the same \`Idempotency-Key\` the same request gets the export that the first one began.`,
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z
    .discriminatedUnion('target', [
      z.strictObject({ ...newExport, target: z.literal('csv'), options: csvOptions.optional() }),
      z.strictObject({
        ...newExport,
        target: z.literal('webhook'),
        options: webhookOptions.optional(),
        destination: webhookDestination,
      }),
      z.strictObject({ ...newExport, target: z.literal('crm'), options: crmOptions }),
    ])
    .meta({ id: 'NewExport' }),
  bodyBytesMax: limits.newExportBytesMax,
  success: {
    status: 202,
    description: 'The export, which goes on by itself.',
    schema: exportRecord
      .extend({ push: pushBeginning.optional().describe('Of what is pushed to a webhook.') })
      .meta({ id: 'BegunExport' }),
  },
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

/** The exports of the account. */
export const listExports = defineOperation({
  id: 'list-exports',
  method: 'get',
  path: '/app/v1/exports',
  summary: 'Exports',
  tag,
  description: 'The exports of the account, newest first.',
  access: memberOnly,
  params: noParams,
  query: z.strictObject({
    ...pageOf,
    status: z.enum(exportStatuses).optional(),
    target: z.enum(exportTargets).optional(),
  }),
  body: noBody,
  bodyBytesMax: 0,
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

/** How an export is getting on. */
export const getExport = defineOperation({
  id: 'get-export',
  method: 'get',
  path: '/app/v1/exports/:export_id',
  summary: 'An export',
  tag,
  description: 'The export with the counts of its rows.',
  access: memberOnly,
  params: exportParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The export.', schema: exportRecord },
  repeatable: true,
  problems: ['export_not_found'],
});

/** Tells of every change of an export. */
export const followExport = defineOperation({
  id: 'follow-export',
  method: 'get',
  path: '/app/v1/exports/:export_id/events',
  summary: 'Follow an export',
  tag,
  description: `Server-sent events: one of type \`export\` with the export as its data for every change, at most some a second, until it has ended. The id of an event is the export’s version; with \`Last-Event-ID\` nothing is told again. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; a browser then connects again by itself. At most ${limits.runFollowersMax} at once.`,
  access: memberOnly,
  params: exportParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
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
  id: 'delete-export',
  method: 'delete',
  path: '/app/v1/exports/:export_id',
  summary: 'Delete an export',
  tag,
  description:
    'From the answer on there is no such export any more. One that is under way ends: rows that were delivered stay where they are, and nothing more is delivered. What it was made from stays.',
  access: memberOnly,
  params: exportParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'It is gone.',
    schema: z.object({ deleted: z.literal(true) }),
  },
  repeatable: true,
  problems: ['export_not_found'],
});

/** What became of the rows of an export. */
export const listExportRows = defineOperation({
  id: 'list-export-rows',
  method: 'get',
  path: '/app/v1/exports/:export_id/rows',
  summary: 'Rows of an export',
  tag,
  description: 'What became of each row, in their order: how often it was sent, and what went wrong.',
  access: memberOnly,
  params: exportParams,
  query: z.strictObject({
    ...pageOf,
    state: z.enum(exportRowStates).optional(),
    action: z.enum(crmActions).optional().describe('Of a push to a CRM, rows of this action alone.'),
  }),
  body: noBody,
  bodyBytesMax: 0,
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
  headers: { 'content-disposition': { type: 'string', description: 'A name for the file.' } },
} as const;

const cellsNote =
  'UTF-8 with lines that end in CRLF (RFC 4180). An apostrophe precedes what a spreadsheet would take for a formula, at the beginning of a cell and behind a comma, semicolon, vertical bar, tab or line break inside it; cells that are numbers or telephone numbers stay as they are.';

/** The file of an export. */
export const downloadExport = defineOperation({
  id: 'download-export',
  method: 'get',
  path: '/app/v1/exports/:export_id/file',
  summary: 'Download an export',
  tag,
  description: `The rows as CSV, written while they are sent: ${cellsNote} Rows whose record is gone by now are not in it.`,
  access: memberOnly,
  params: exportParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: file,
  repeatable: true,
  problems: ['export_not_found', 'export_not_ready', 'export_source_not_found', 'too_many_downloads'],
});

/** The failed rows of an export as a file. */
export const downloadFailedRows = defineOperation({
  id: 'download-failed-rows',
  method: 'get',
  path: '/app/v1/exports/:export_id/failed-rows',
  summary: 'Download failed rows',
  tag,
  description: `Rows that were given up, read from their source again, with \`failed_attempts\`, \`failed_status_code\` and \`failed_reason\` behind their own columns. ${cellsNote}`,
  access: memberOnly,
  params: exportParams,
  query: csvOptionsQuery(),
  body: noBody,
  bodyBytesMax: 0,
  success: file,
  repeatable: true,
  problems: ['export_not_found', 'export_source_not_found', 'too_many_downloads'],
});

/** A query has texts alone. */
function csvOptionsQuery() {
  return z.strictObject({
    delimiter: csvOptions.shape.delimiter,
    byte_order_mark: z.enum(['true', 'false']).optional(),
  });
}
