import { z } from 'zod';
import { crmConnectionId } from '../ids.ts';
import { crmObjects } from './crm-object.ts';

/** The policies for an existing value of a property. */
export const crmFieldPolicies = {
  overwrite: 'Overwrite the existing value.',
  fill_blank: 'Write only if the property is empty.',
  never: 'Write only to new records.',
} as const;

export type CrmFieldPolicy = keyof typeof crmFieldPolicies;

/** Maps a column to a CRM property. */
export const crmFieldMapping = z
  .strictObject({
    column: z.string().min(1).max(1_000).describe('Name of an export field.'),
    property: z.string().min(1).max(255).describe('Name of a CRM property.'),
    policy: z.enum(Object.keys(crmFieldPolicies) as [CrmFieldPolicy, ...CrmFieldPolicy[]]),
  })
  .meta({ id: 'CrmFieldMapping' });

export type CrmFieldMapping = z.output<typeof crmFieldMapping>;

/** The largest number of fields in one push. */
export const crmFieldsMax = 100;

/** How rows become CRM records; stored with the export. */
export const crmOptions = z
  .strictObject({
    connection_id: crmConnectionId,
    object: z.enum(crmObjects),
    fields: z
      .array(crmFieldMapping)
      .min(1)
      .max(crmFieldsMax)
      .refine(
        fields => new Set(fields.map(({ property }) => property)).size === fields.length,
        'must name each property once',
      ),
    record_id_column: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'Name of the field that holds the CRM record ids, as imported. Rows are then matched by this id only, and no records are created.',
      ),
    creates: z
      .boolean()
      .optional()
      .describe('If false, existing records are updated and none are created. Defaults to true.'),
    dry_run: z
      .boolean()
      .optional()
      .describe('If true, counts what would be created, updated and skipped, and writes nothing.'),
  })
  .meta({ id: 'CrmOptions' });

export type CrmOptions = z.output<typeof crmOptions>;
