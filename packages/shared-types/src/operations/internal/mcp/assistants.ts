import { z } from 'zod';
import { type OauthScope, oauthScopeNames } from '../../../assistants.ts';
import { defineOperation } from '../../../define-operation.ts';
import { accountId, assistantId, userId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';

const gatewayOnly = { kind: 'service', callers: ['gateway'] } as const;
const disconnected = z.object({
  disconnected: z.int().nonnegative().describe('Grants that this request ended.'),
});

/**
 * A connected assistant as shown in a list: an OAuth client that a user has authorized in one browser. Each consent in
 * that browser is a grant with its own tokens; the list shows them as one assistant.
 */
export const assistant = z.object({
  assistantId: assistantId.describe('Id of its newest grant.'),
  userId,
  clientName: z.string().describe('The name that the client reports; any client can report any name.'),
  redirectHost: z
    .string()
    .describe('Where the client receives OAuth responses: a host name, or the scheme of an app.'),
  scopes: z.array(z.enum(oauthScopeNames as [OauthScope, ...OauthScope[]])),
  userAgent: z
    .string()
    .describe('The shortened `User-Agent` of the browser that authorized the assistant; empty if unknown.'),
  connectedAt: z.iso.datetime().describe('When the user last authorized it.'),
  lastUsedAt: z.iso.datetime().nullable().describe('Rounded to the minute; null before the first call.'),
});

export type Assistant = z.output<typeof assistant>;

const parts = { answeredBy: 'mcp-server', access: gatewayOnly } as const;

/** Lists the connected assistants of an account or of one of its users. */
export const listAssistants = defineOperation({
  ...parts,
  id: 'list-assistants',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/assistants',
  summary: 'List an account’s connected assistants',
  description: 'Newest first.',
  params: z.strictObject({ accountId }),
  query: z.strictObject({ userId: userId.optional().describe('Only assistants of this user.') }),
  success: {
    status: 200,
    description: 'The assistants.',
    schema: z.object({
      assistants: z.array(assistant).max(limits.assistantsListedMax),
      address: z
        .string()
        .optional()
        .describe('URL of the tool server’s MCP endpoint; omitted by earlier releases.'),
    }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Disconnects an assistant with all its grants; its tokens are refused from the next request on. */
export const disconnectAssistant = defineOperation({
  ...parts,
  id: 'disconnect-assistant',
  method: 'delete',
  path: '/internal/v1/accounts/:accountId/assistants/:assistantId',
  summary: 'Disconnect an assistant',
  description: 'Idempotent: an assistant that does not exist counts 0.',
  params: z.strictObject({ accountId, assistantId }),
  query: z.strictObject({ userId: userId.optional().describe('Only if it belongs to this user.') }),
  success: { status: 200, description: 'The assistant is disconnected.', schema: disconnected },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Disconnects all assistants of a user who reset the password, signed out everywhere or left the account. */
export const disconnectUser = defineOperation({
  ...parts,
  id: 'disconnect-user',
  method: 'post',
  path: '/internal/v1/disconnected-users',
  summary: 'Disconnect all assistants of a user',
  description: 'Ends connections made up to the given time. Idempotent.',
  body: z.strictObject({ accountId, userId, until: z.iso.datetime() }),
  success: { status: 200, description: 'All of them are disconnected.', schema: disconnected },
  repeatable: true,
  problems: ['invalid_request'],
});
