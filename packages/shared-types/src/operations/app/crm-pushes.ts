import { z } from 'zod';
import { crmFieldMapping } from '../../crm/crm-mapping.ts';
import { crmObjects } from '../../crm/crm-object.ts';
import { crmProperty } from '../../crm/crm-property.ts';
import { defineOperation } from '../../define-operation.ts';
import { exportRecord } from '../../exports/export.ts';
import { exportSource } from '../../exports/export-source.ts';
import { crmConnectionId, exportId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { exportedValue } from '../internal/export-sources.ts';
import { crmProblems } from './crm-connections.ts';
import { memberOrKey } from './view-parts.ts';

/** Suggests which columns of a source fill which properties of a CRM. */
export const suggestCrmMapping = defineOperation({
  id: 'suggest-crm-mapping',
  method: 'post',
  path: '/app/v1/crm-mapping-suggestions',
  summary: 'Suggest a CRM mapping',
  tag: 'CRMs',
  description:
    'Reads the properties of a record type and the first rows of a source, and suggests which columns match which properties, by name and by content. Nothing is created, stored or written.',
  answeredBy: 'webhook-dispatcher',
  answerMsMax: limits.crmAnswerMsMax,
  access: memberOrKey('exports'),
  body: z
    .strictObject({ connection_id: crmConnectionId, object: z.enum(crmObjects), source: exportSource })
    .meta({ id: 'CrmMappingQuestion' }),
  success: {
    status: 200,
    description: 'The suggestion.',
    schema: z
      .object({
        rows: z.int().nonnegative().describe('Number of rows in the source.'),
        fields: z
          .array(
            z.object({
              field: crmFieldMapping,
              property: crmProperty,
              samples: z.array(exportedValue).describe('Values in the first rows.'),
            }),
          )
          .describe('Suggested fields, in column order. You can send them unchanged.'),
        unmatched_columns: z
          .array(z.object({ column: z.string(), samples: z.array(exportedValue) }))
          .describe('Columns without a matching property.'),
        missing_properties: z
          .array(crmProperty)
          .describe('Properties that the CRM requires for new records and no column fills.'),
      })
      .meta({ id: 'CrmMappingSuggestion' }),
  },
  repeatable: true,
  problems: [...crmProblems, 'crm_mapping_not_valid', 'export_source_not_found', 'export_source_not_ready'],
});

/** Removes the records that a CRM push created. */
export const undoExport = defineOperation({
  id: 'undo-export',
  method: 'post',
  path: '/app/v1/exports/:export_id/undo',
  summary: 'Undo a push to a CRM',
  tag: 'Exports',
  description:
    'Deletes the records that the push created, into the CRM’s recycle bin if it has one, even if they were changed since. Records that existed before stay, with the values that the push wrote. Merged records are left unchanged. Runs in the background; `undo` of the export shows the progress. Repeating the request while it is in progress changes nothing; after it has ended, it retries the records that failed.',
  answeredBy: 'webhook-dispatcher',
  access: memberOrKey('exports'),
  params: z.strictObject({ export_id: exportId }),
  success: { status: 202, description: 'The export.', schema: exportRecord },
  repeatable: true,
  problems: ['export_not_found', 'export_cannot_be_undone'],
});
