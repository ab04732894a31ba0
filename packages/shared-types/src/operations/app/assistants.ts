import { z } from 'zod';
import { type OauthScope, oauthScopeNames, oauthScopes } from '../../assistants.ts';
import { defineOperation } from '../../define-operation.ts';
import { assistantId, userId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOnly, moment } from './view-parts.ts';

/** A connected assistant as shown to users: a client that a user has authorized in one browser. */
export const connectedAssistant = z
  .object({
    assistant_id: assistantId,
    user_id: userId.describe('Who connected the assistant.'),
    email: z
      .string()
      .nullable()
      .describe('Email address of the user who connected it; null if the user has just left the account.'),
    client_name: z
      .string()
      .describe(
        'The name that the client reports. Any client can report any name; the host is more reliable.',
      ),
    redirect_host: z
      .string()
      .describe('Where the client receives OAuth responses: a host name, or the scheme of an app.'),
    scopes: z.array(
      z.object({
        scope: z.enum(oauthScopeNames as [OauthScope, ...OauthScope[]]),
        description: z.string().describe('What the assistant may do, as display text.'),
      }),
    ),
    user_agent: z
      .string()
      .describe(
        'The shortened `User-Agent` of the browser that authorized the assistant. It distinguishes the same assistant on two machines. Empty if unknown.',
      ),
    connected_at: moment.describe('When the user last authorized it.'),
    last_used_at: moment.nullable().describe('Rounded to the minute; null before the first call.'),
  })
  .meta({ id: 'ConnectedAssistant' });

/** Lists the assistants that are connected to the account. */
export const listConnectedAssistants = defineOperation({
  id: 'list-connected-assistants',
  method: 'get',
  path: '/app/v1/assistants',
  summary: 'List connected assistants',
  tag: 'Assistants',
  description: `AI assistants that use the account’s credits, newest first, at most ${limits.assistantsListedMax}. The same assistant on two machines is listed twice. Owners see all assistants of the account; members see their own.`,
  answeredBy: 'gateway',
  access: memberOnly('people'),
  success: {
    status: 200,
    description: 'The assistants.',
    schema: z
      .object({
        assistants: z.array(connectedAssistant).max(limits.assistantsListedMax),
        address: z.string().nullable().describe('The `/mcp` URL to enter in an assistant. Null if unknown.'),
      })
      .meta({ id: 'ConnectedAssistants' }),
    example: {
      assistants: [
        {
          assistant_id: 'asst_0199d4c5a1f07c3fb2e4d6a8c0e1f206',
          user_id: 'user_0199d4c5a1f07c3fb2e4d6a8c0e1f203',
          email: 'ada@ordinary.example',
          client_name: 'Example Assistant',
          redirect_host: 'assistant.example',
          scopes: [{ scope: 'account.read', description: oauthScopes['account.read'] }],
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
          connected_at: '2026-11-02T09:30:00.000Z',
          last_used_at: '2026-11-02T09:41:00.000Z',
        },
      ],
      address: 'https://mcp.mailproof.example/mcp',
    },
  },
  repeatable: true,
  problems: [],
});

/** Ends an assistant's access. */
export const disconnectAssistantSignedIn = defineOperation({
  id: 'disconnect-assistant-signed-in',
  method: 'delete',
  path: '/app/v1/assistants/:assistant_id',
  summary: 'Disconnect an assistant',
  tag: 'Assistants',
  description:
    'The assistant’s next request is rejected; it must be connected again. The same assistant on another machine stays connected. Owners can disconnect any assistant of the account; members can disconnect their own.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  params: z.strictObject({ assistant_id: assistantId }),
  success: {
    status: 200,
    description: 'The assistant is disconnected.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: false,
  problems: ['assistant_not_found'],
});
