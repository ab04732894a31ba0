import { z } from 'zod';

export const crmPropertyTypes = ['text', 'number', 'boolean', 'date', 'moment', 'choice', 'other'] as const;

export type CrmPropertyType = (typeof crmPropertyTypes)[number];

/** A property of one kind of record, as the CRM describes it. */
export const crmProperty = z
  .object({
    name: z.string().describe('Internal name.'),
    label: z.string().describe('Display name.'),
    type: z.enum(crmPropertyTypes),
    choices: z
      .array(z.object({ value: z.string(), label: z.string() }))
      .describe('Options of a `choice`; empty for other types.'),
    characters_max: z.int().positive().nullable(),
    is_writable: z.boolean(),
    is_required: z.boolean().describe('A record cannot be created without it.'),
    is_unique: z.boolean().describe('The value must be unique across records.'),
  })
  .meta({ id: 'CrmProperty' });

export type CrmProperty = z.output<typeof crmProperty>;
