import { z } from 'zod';

export const crmPropertyTypes = ['text', 'number', 'boolean', 'date', 'moment', 'choice', 'other'] as const;

export type CrmPropertyType = (typeof crmPropertyTypes)[number];

/** A property of a kind of records, as the CRM describes it. */
export const crmProperty = z
  .object({
    name: z.string().describe('What programs call it.'),
    label: z.string().describe('What people call it.'),
    type: z.enum(crmPropertyTypes),
    choices: z
      .array(z.object({ value: z.string(), label: z.string() }))
      .describe('Of a `choice`; empty for other types.'),
    characters_max: z.int().positive().nullable(),
    is_writable: z.boolean(),
    is_required: z.boolean().describe('A record cannot be created without it.'),
    is_unique: z.boolean().describe('No two records have the same value.'),
  })
  .meta({ id: 'CrmProperty' });

export type CrmProperty = z.output<typeof crmProperty>;
