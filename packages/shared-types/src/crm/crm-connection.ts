import { z } from 'zod';
import { crmConnectionId, userId } from '../ids.ts';
import { crmObjects, crmProviderNames } from './crm-object.ts';

/** The reasons why a connection cannot be used. */
export const crmConnectionFaults = {
  access_revoked: 'The CRM has revoked access. Reconnect it.',
  not_readable: 'The stored access token cannot be read. Reconnect the CRM.',
} as const;

export type CrmConnectionFault = keyof typeof crmConnectionFaults;

/** A CRM that a user has connected to the account. */
export const crmConnection = z
  .object({
    connection_id: crmConnectionId,
    provider: z.enum(crmProviderNames),
    organisation: z.object({
      id: z
        .string()
        .describe(
          'The CRM’s id of the organization: HubSpot’s account number, Salesforce’s organization id.',
        ),
      name: z.string().describe('Display name: a domain or a name.'),
    }),
    objects: z.array(z.enum(crmObjects)).describe('CRM record types that rows can be written to.'),
    fault: z
      .object({
        reason: z.enum(Object.keys(crmConnectionFaults) as [CrmConnectionFault, ...CrmConnectionFault[]]),
        detail: z.string(),
      })
      .nullable()
      .describe('Why the connection is not working; null while it works.'),
    connected_by: userId,
    connected_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'CrmConnection' });

export type CrmConnectionRecord = z.output<typeof crmConnection>;
