import { z } from 'zod';
import { crmFieldMapping } from '../../crm/crm-mapping.ts';
import { crmObjects } from '../../crm/crm-object.ts';
import { crmProperty } from '../../crm/crm-property.ts';
import { exportRecord } from '../../exports/export.ts';
import { exportSource } from '../../exports/export-source.ts';
import { crmConnectionId, exportId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { exportedValue } from '../internal/export-sources.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { crmProblems } from './crm-connections.ts';
import { memberOnly } from './view-parts.ts';

/** Which column of a source could fill which property of a CRM. */
export const suggestCrmMapping = defineOperation({
  id: 'suggest-crm-mapping',
  method: 'post',
  path: '/app/v1/crm-mapping-suggestions',
  summary: 'Suggest a mapping to a CRM',
  tag: 'CRMs',
  description:
    'Reads the properties of a kind of records and the first rows of a source, and says which columns fit which properties, by their names and by what the rows say. Nothing is begun, kept or written.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({ connection_id: crmConnectionId, object: z.enum(crmObjects), source: exportSource })
    .meta({ id: 'CrmMappingQuestion' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'The suggestion.',
    schema: z
      .object({
        rows: z.int().nonnegative().describe('Rows that the source has.'),
        fields: z
          .array(
            z.object({
              field: crmFieldMapping,
              property: crmProperty,
              samples: z.array(exportedValue).describe('What the first rows say there.'),
            }),
          )
          .describe('Fields that fit, in the order of the columns. They can be sent as they are.'),
        unmatched_columns: z
          .array(z.object({ column: z.string(), samples: z.array(exportedValue) }))
          .describe('Columns for which no property was found.'),
        missing_properties: z
          .array(crmProperty)
          .describe('Properties that the CRM requires of a new record and no column fills.'),
      })
      .meta({ id: 'CrmMappingSuggestion' }),
  },
  repeatable: true,
  problems: [...crmProblems, 'crm_mapping_not_valid', 'export_source_not_found', 'export_source_not_ready'],
});

/** Takes away what a push to a CRM has created. */
export const undoExport = defineOperation({
  id: 'undo-export',
  method: 'post',
  path: '/app/v1/exports/:export_id/undo',
  summary: 'Undo a push to a CRM',
  tag: 'Exports',
  description:
    'Takes the records that the push created away again, into the CRM’s bin where it has one, also those that somebody has changed since. Records that were there before stay, with what the push wrote into them. A record that was merged with another one is left alone. It goes on by itself; `undo` of the export says how far it is. Asking again changes nothing while it goes on, and tries those again that failed.',
  access: memberOnly,
  params: z.strictObject({ export_id: exportId }),
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 202, description: 'The export.', schema: exportRecord },
  repeatable: true,
  problems: ['export_not_found', 'export_cannot_be_undone'],
});
