import { z } from 'zod';
import { crmConnection } from '../../crm/crm-connection.ts';
import { crmObjects, crmProviderNames } from '../../crm/crm-object.ts';
import { crmProperty } from '../../crm/crm-property.ts';
import { crmConnectionId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { memberOnly, moment, ownerOnly } from './view-parts.ts';

const tag = 'CRMs';
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

/** What any question to a CRM can be answered with. */
export const crmProblems = [
  'crm_connection_not_found',
  'crm_access_revoked',
  'crm_not_permitted',
  'crm_refused',
  'crm_busy',
  'crm_unavailable',
] as const;

/** What the CRM gave the browser to bring; each is bounded, since it comes from somebody else's page. */
const answerText = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');

/** Sends the browser to a CRM. */
export const beginCrmConnection = defineOperation({
  id: 'begin-crm-connection',
  method: 'post',
  path,
  summary: 'Connect a CRM',
  tag,
  description:
    'Answers the address at the CRM at which its user allows Mailproof to work there; send the browser to it. It comes back to `/crm/callback`, which completes the connection for the same user, within ten minutes, once.',
  access: ownerOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ provider: z.enum(crmProviderNames) }).meta({ id: 'NewCrmConnection' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 201,
    description: 'Where to send the browser.',
    schema: z
      .object({ authorization_url: z.string(), expires_at: moment })
      .meta({ id: 'CrmConnectionBegun' }),
  },
  repeatable: false,
  problems: ['crm_not_configured'],
});

/** Makes the connection of what the browser came back with. */
export const completeCrmConnection = defineOperation({
  id: 'complete-crm-connection',
  method: 'post',
  path: `${path}/completion`,
  summary: 'Complete a connection',
  tag,
  description:
    'Takes what the CRM gave the browser: `code` and `state`, or `error` and `state`. The page at `/crm/callback` does this. Connecting the same organisation again renews the connection that is there.',
  access: ownerOnly,
  params: noParams,
  query: noQuery,
  body: z
    .union([
      z.strictObject({ state: answerText, code: answerText }),
      z.strictObject({ state: answerText, error: answerText }),
    ])
    .meta({ id: 'CrmConnectionCompletion' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
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

/** The CRMs of the account. */
export const listCrmConnections = defineOperation({
  id: 'list-crm-connections',
  method: 'get',
  path,
  summary: 'List connected CRMs',
  tag,
  description:
    'The CRMs that the account has connected, the newest first, and which can be connected at this installation. What gives access is never shown.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The connections.',
    schema: z
      .object({
        connections: z.array(crmConnection).max(limits.crmConnectionsMax),
        providers: z
          .array(z.enum(crmProviderNames))
          .describe('CRMs that the operator of this installation has set up.'),
      })
      .meta({ id: 'CrmConnections' }),
  },
  repeatable: true,
  problems: [],
});

/** Ends a connection. */
export const disconnectCrm = defineOperation({
  id: 'disconnect-crm',
  method: 'delete',
  path: `${path}/:connection_id`,
  summary: 'Disconnect a CRM',
  tag,
  description:
    'Deletes what gives access and tells the CRM so. Pushes and imports of the connection that are under way end. Records that were written there stay.',
  access: ownerOnly,
  params: connectionParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The CRM is disconnected.',
    schema: z
      .object({
        is_revoked: z
          .boolean()
          .describe(
            'Whether the CRM knows by now. False where it did not answer, or where another account is connected to the same organisation by the same app; nobody has the access any more either way.',
          ),
      })
      .meta({ id: 'CrmDisconnected' }),
  },
  repeatable: false,
  problems: ['crm_connection_not_found'],
});

/** What records of a kind have there. */
export const listCrmProperties = defineOperation({
  id: 'list-crm-properties',
  method: 'get',
  path: `${path}/:connection_id/properties`,
  summary: 'Properties of a CRM’s records',
  tag,
  description: 'What records of a kind have in the connected CRM, asked there at this moment.',
  access: memberOnly,
  params: connectionParams,
  query: objectQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The properties.',
    schema: z.object({ properties: z.array(crmProperty) }).meta({ id: 'CrmProperties' }),
  },
  repeatable: true,
  problems: [...crmProblems],
});

/** Selections of records that people have made there. */
export const listCrmSegments = defineOperation({
  id: 'list-crm-segments',
  method: 'get',
  path: `${path}/:connection_id/segments`,
  summary: 'Segments of a CRM',
  tag,
  description:
    'Lists, segments or views of records of a kind that people have made in the connected CRM, the first thousand at most.',
  access: memberOnly,
  params: connectionParams,
  query: objectQuery,
  body: noBody,
  bodyBytesMax: 0,
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
              records: z.int().nonnegative().nullable().describe('Null where the CRM does not say.'),
            })
            .meta({ id: 'CrmSegment' }),
        ),
      })
      .meta({ id: 'CrmSegments' }),
  },
  repeatable: true,
  problems: [...crmProblems],
});
