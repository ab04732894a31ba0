import { z } from 'zod';
import { crmConnectionId } from '../ids.ts';
import { crmObjects } from './crm-object.ts';

/** What happens to what stands in a property already. */
export const crmFieldPolicies = {
  overwrite: 'Our value replaces what stands there.',
  fill_blank: 'Our value is written where nothing stands.',
  never: 'Written into new records alone.',
} as const;

export type CrmFieldPolicy = keyof typeof crmFieldPolicies;

/** Where the value of a column goes. */
export const crmFieldMapping = z
  .strictObject({
    column: z.string().min(1).max(1_000).describe('Name of a field of the export.'),
    property: z.string().min(1).max(255).describe('Name of a property of the CRM.'),
    policy: z.enum(Object.keys(crmFieldPolicies) as [CrmFieldPolicy, ...CrmFieldPolicy[]]),
  })
  .meta({ id: 'CrmFieldMapping' });

export type CrmFieldMapping = z.output<typeof crmFieldMapping>;

/** Fields that one push fills. */
export const crmFieldsMax = 100;

/** How rows become records of a CRM; kept with the export. */
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
        'Name of a field with the ids that the CRM has given the records, as an import brings it along. Rows are then matched by it alone, and none are created.',
      ),
    creates: z
      .boolean()
      .optional()
      .describe('False changes records that are there and creates none. True if left out.'),
    dry_run: z
      .boolean()
      .optional()
      .describe('True counts what would be created, updated and skipped, and writes nothing.'),
  })
  .meta({ id: 'CrmOptions' });

export type CrmOptions = z.output<typeof crmOptions>;
