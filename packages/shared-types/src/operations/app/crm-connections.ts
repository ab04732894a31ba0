import { z } from 'zod';
import { crmConnection } from '../../crm/crm-connection.ts';
import { writtenBackColumns } from '../../crm/crm-import.ts';
import { crmObjects, crmProviderNames } from '../../crm/crm-object.ts';
import { crmProperty } from '../../crm/crm-property.ts';
import { defineOperation } from '../../define-operation.ts';
import { crmConnectionId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { memberOrKey, moment, ownerOnly, ownerOrKey } from './view-parts.ts';

const parts = { tag: 'CRMs', answeredBy: 'webhook-dispatcher' } as const;

const path = '/app/v1/crm-connections';
const connectionParams = z.strictObject({ connection_id: crmConnectionId });
const objectQuery = z.strictObject({ object: z.enum(crmObjects) });

const connectionExample = {
  connection_id: 'crm_0199d4c5a1f07c3fb2e4d6a8c0e1f207',
  provider: 'hubspot',
  organisation: { id: '62515', name: 'ordinary.example' },
  objects: ['contact', 'company'],
  fault: null,
  connected_by: 'user_0199d4c5a1f07c3fb2e4d6a8c0e1f203',
  connected_at: '2026-11-02T09:30:00.000Z',
  last_used_at: null,
} as const;

/** The problems that any request to a CRM can return. */
export const crmProblems = [
  'crm_connection_not_found',
  'crm_access_revoked',
  'crm_not_permitted',
  'crm_refused',
  'crm_busy',
  'crm_unavailable',
] as const;

/** A parameter of the CRM's redirect; its length is bounded because it comes from another site. */
const answerText = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');

/** Starts connecting a CRM: returns the URL to which the browser goes. */
export const beginCrmConnection = defineOperation({
  ...parts,
  id: 'begin-crm-connection',
  method: 'post',
  path,
  summary: 'Connect a CRM',
  description:
    'Returns the CRM’s authorization URL; open it in the user’s browser. The CRM redirects back to `/crm/callback`, which completes the connection for the same user, once, within ten minutes.',
  access: ownerOnly('browser'),
  body: z.strictObject({ provider: z.enum(crmProviderNames) }).meta({ id: 'NewCrmConnection' }),
  success: {
    status: 201,
    description: 'The authorization URL.',
    schema: z
      .object({ authorization_url: z.string(), expires_at: moment })
      .meta({ id: 'CrmConnectionStart' }),
  },
  repeatable: false,
  problems: ['crm_not_configured'],
});

/** Creates the connection from the parameters of the CRM's redirect. */
export const completeCrmConnection = defineOperation({
  ...parts,
  id: 'complete-crm-connection',
  method: 'post',
  path: `${path}/completion`,
  summary: 'Complete a connection',
  description:
    'Takes the parameters of the CRM’s redirect: `code` and `state`, or `error` and `state`. The page at `/crm/callback` calls this. Connecting the same organization again renews the existing connection.',
  answerMsMax: limits.crmAnswerMsMax,
  access: ownerOnly('browser'),
  body: z
    .union([
      z.strictObject({ state: answerText, code: answerText }),
      z.strictObject({ state: answerText, error: answerText }),
    ])
    .meta({ id: 'CrmConnectionCompletion' }),
  success: {
    status: 201,
    description: 'The CRM is connected.',
    schema: crmConnection,
    example: connectionExample as unknown as z.input<typeof crmConnection>,
  },
  repeatable: false,
  problems: [
    'crm_sign_in_not_valid',
    'crm_access_denied',
    'crm_not_configured',
    'crm_unavailable',
    'too_many_crm_connections',
  ],
});

/** Lists the account's connected CRMs. */
export const listCrmConnections = defineOperation({
  ...parts,
  id: 'list-crm-connections',
  method: 'get',
  path,
  summary: 'List connected CRMs',
  description:
    'The CRMs that the account has connected, newest first, and the CRMs available on this installation. Credentials are never shown.',
  access: memberOrKey('exports'),
  success: {
    status: 200,
    description: 'The connections.',
    schema: z
      .object({
        connections: z.array(crmConnection).max(limits.crmConnectionsMax),
        providers: z
          .array(z.enum(crmProviderNames))
          .describe('CRMs that the operator of this installation has configured.'),
      })
      .meta({ id: 'CrmConnections' }),
  },
  repeatable: true,
  problems: [],
});

/** Ends a connection. */
export const disconnectCrm = defineOperation({
  ...parts,
  id: 'disconnect-crm',
  method: 'delete',
  path: `${path}/:connection_id`,
  summary: 'Disconnect a CRM',
  description:
    'Deletes the stored credentials and revokes them at the CRM. Pushes and imports in progress end. Records written to the CRM stay.',
  access: ownerOrKey('account.write'),
  params: connectionParams,
  success: {
    status: 200,
    description: 'The CRM is disconnected.',
    schema: z
      .object({
        is_revoked: z
          .boolean()
          .describe(
            'Whether the CRM has been told. False if it did not respond, or if another account uses the same app with the same organization; Mailproof has no access in either case.',
          ),
      })
      .meta({ id: 'CrmDisconnected' }),
  },
  repeatable: false,
  problems: ['crm_connection_not_found'],
});

/** Lists the properties of a kind of record in the CRM. */
export const listCrmProperties = defineOperation({
  ...parts,
  id: 'list-crm-properties',
  method: 'get',
  path: `${path}/:connection_id/properties`,
  summary: 'Properties of a CRM record type',
  description: 'The properties that records of a type have in the connected CRM, read live from the CRM.',
  answerMsMax: limits.crmAnswerMsMax,
  access: memberOrKey('exports'),
  params: connectionParams,
  query: objectQuery,
  success: {
    status: 200,
    description: 'The properties.',
    schema: z.object({ properties: z.array(crmProperty) }).meta({ id: 'CrmProperties' }),
  },
  repeatable: true,
  problems: [...crmProblems],
});

/** Creates the properties to which results can be written back. */
export const createWriteBackProperties = defineOperation({
  ...parts,
  id: 'create-write-back-properties',
  method: 'post',
  path: `${path}/:connection_id/write-back-properties`,
  summary: 'Create CRM properties for results',
  description:
    'Creates a property for each named result on a record type in the connected CRM, unless it exists, and returns it for `write_back`. Nothing else in the CRM changes. If the connected user may not create properties, returns `crm_not_permitted`, with what an administrator can do.',
  answerMsMax: limits.crmAnswerMsMax,
  access: memberOrKey('exports'),
  params: connectionParams,
  body: z
    .strictObject({
      object: z.enum(crmObjects),
      columns: z
        .array(z.enum(writtenBackColumns))
        .min(1)
        .max(writtenBackColumns.length)
        .refine(columns => new Set(columns).size === columns.length, 'must name each result once')
        .describe('Results, as in `write_back`.'),
    })
    .meta({ id: 'NewWriteBackProperties' }),
  success: {
    status: 200,
    description: 'The properties, in the order of the request.',
    schema: z
      .object({
        properties: z.array(
          z
            .object({ column: z.enum(writtenBackColumns), property: crmProperty })
            .meta({ id: 'WriteBackProperty' }),
        ),
      })
      .meta({ id: 'WriteBackProperties' }),
  },
  repeatable: true,
  problems: [...crmProblems],
});

/** Lists the segments that users have created in the CRM. */
export const listCrmSegments = defineOperation({
  ...parts,
  id: 'list-crm-segments',
  method: 'get',
  path: `${path}/:connection_id/segments`,
  summary: 'List CRM segments',
  description: 'Lists, segments and views of a record type in the connected CRM, at most 1,000.',
  answerMsMax: limits.crmAnswerMsMax,
  access: memberOrKey('exports'),
  params: connectionParams,
  query: objectQuery,
  success: {
    status: 200,
    description: 'The segments.',
    schema: z
      .object({
        segments: z.array(
          z
            .object({
              segment_id: z.string(),
              name: z.string(),
              records: z.int().nonnegative().nullable().describe('Null if the CRM does not report it.'),
            })
            .meta({ id: 'CrmSegment' }),
        ),
      })
      .meta({ id: 'CrmSegments' }),
  },
  repeatable: true,
  problems: [...crmProblems],
});
