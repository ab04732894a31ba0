import { z } from 'zod';
import { crmConnectionId, userId } from '../ids.ts';
import { crmObjects, crmProviderNames } from './crm-object.ts';

/** Why a connection does nothing at present. */
export const crmConnectionFaults = {
  access_revoked: 'The CRM does not accept our access any more. Connect it again.',
  not_readable: 'What gives us access can no longer be read. Connect it again.',
} as const;

export type CrmConnectionFault = keyof typeof crmConnectionFaults;

/** A CRM of an account's, which somebody of it has allowed us to work in. */
export const crmConnection = z
  .object({
    connection_id: crmConnectionId,
    provider: z.enum(crmProviderNames),
    organisation: z.object({
      id: z
        .string()
        .describe('What the CRM calls it: HubSpot’s account number, Salesforce’s organisation id.'),
      name: z.string().describe('For people: a domain or a name.'),
    }),
    objects: z.array(z.enum(crmObjects)).describe('Kinds of records that rows can become there.'),
    fault: z
      .object({
        reason: z.enum(Object.keys(crmConnectionFaults) as [CrmConnectionFault, ...CrmConnectionFault[]]),
        detail: z.string(),
      })
      .nullable()
      .describe('Why it does nothing at present; null while it works.'),
    connected_by: userId,
    connected_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'CrmConnection' });

export type CrmConnectionRecord = z.output<typeof crmConnection>;
