import { z } from 'zod';
import { type OauthScope, oauthScopeNames } from '../../../assistants.ts';
import { accountId, assistantId, userId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { defineOperation } from '../../../operation.ts';
import { noBody, noParams, noQuery } from '../../public-parts.ts';

const gatewayOnly = { kind: 'service', callers: ['gateway'] } as const;
const disconnected = z.object({
  disconnected: z.int().nonnegative().describe('Grants that this request ended.'),
});

/**
 * A connected assistant as a list shows it: an OAuth client that a user has allowed in one browser. Each consent there
 * is a grant with its own tokens; here they count as one assistant.
 */
export const assistant = z.object({
  assistantId: assistantId.describe('Of its newest grant.'),
  userId,
  clientName: z.string().describe('What the client calls itself; anybody may call themselves anything.'),
  redirectHost: z.string().describe('Where it receives its answers: a host name, or the scheme of an app.'),
  scopes: z.array(z.enum(oauthScopeNames as [OauthScope, ...OauthScope[]])),
  userAgent: z
    .string()
    .describe(
      'The `User-Agent` of the browser in which the assistant was allowed, shortened; empty when unknown.',
    ),
  connectedAt: z.iso.datetime().describe('When the user last allowed it.'),
  lastUsedAt: z.iso.datetime().nullable().describe('To the minute; null before its first call.'),
});

export type Assistant = z.output<typeof assistant>;

/** The connected assistants of an account, or of one user of it. */
export const listAssistants = defineOperation({
  id: 'list-assistants',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/assistants',
  summary: 'List an account’s connected assistants',
  description: 'The newest first.',
  access: gatewayOnly,
  params: z.strictObject({ accountId }),
  query: z.strictObject({ userId: userId.optional().describe('Those of this user alone.') }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The assistants.',
    schema: z.object({
      assistants: z.array(assistant).max(limits.assistantsListedMax),
      address: z
        .string()
        .optional()
        .describe('Where assistants reach the tool server; a release before did not say it.'),
    }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Ends one assistant with all its grants: its tokens are refused from the next request on. */
export const disconnectAssistant = defineOperation({
  id: 'disconnect-assistant',
  method: 'delete',
  path: '/internal/v1/accounts/:accountId/assistants/:assistantId',
  summary: 'Disconnect an assistant',
  description: 'Idempotent: an assistant that is not there counts 0.',
  access: gatewayOnly,
  params: z.strictObject({ accountId, assistantId }),
  query: z.strictObject({ userId: userId.optional().describe('Only if it is this user’s.') }),
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'It is not connected any more.', schema: disconnected },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Ends all assistants of a user who reset the password, signed out everywhere or left the account. */
export const disconnectUser = defineOperation({
  id: 'disconnect-user',
  method: 'post',
  path: '/internal/v1/disconnected-users',
  summary: 'Disconnect all assistants of a user',
  description: 'Ends what was connected until the given moment. Idempotent.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ accountId, userId, until: z.iso.datetime() }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'None of them is connected any more.', schema: disconnected },
  repeatable: true,
  problems: ['invalid_request'],
});
