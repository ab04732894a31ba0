import { z } from 'zod';
import { type OauthScope, oauthScopeNames, oauthScopes } from '../../assistants.ts';
import { assistantId, userId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOnly, moment } from './view-parts.ts';

/** An assistant that is connected, as people see it: a client that a user has allowed in one browser. */
export const connectedAssistant = z
  .object({
    assistant_id: assistantId,
    user_id: userId.describe('Who connected it.'),
    email: z
      .string()
      .nullable()
      .describe('The address of who connected it; null for somebody who has just left the account.'),
    client_name: z
      .string()
      .describe('What the client calls itself. Anybody may call themselves anything; the host tells more.'),
    redirect_host: z
      .string()
      .describe('Where it receives its answers: a host name, or the scheme of an app.'),
    scopes: z.array(
      z.object({
        scope: z.enum(oauthScopeNames as [OauthScope, ...OauthScope[]]),
        description: z.string().describe('What it allows, in words.'),
      }),
    ),
    user_agent: z
      .string()
      .describe(
        'The `User-Agent` of the browser in which the assistant was allowed, shortened. It distinguishes the same assistant on two machines. Empty when unknown.',
      ),
    connected_at: moment.describe('When the user last allowed it.'),
    last_used_at: moment.nullable().describe('To the minute; null before its first call.'),
  })
  .meta({ id: 'ConnectedAssistant' });

/** The assistants that are connected to the account. */
export const listConnectedAssistants = defineOperation({
  id: 'list-connected-assistants',
  method: 'get',
  path: '/app/v1/assistants',
  summary: 'List connected assistants',
  tag: 'Assistants',
  description: `AI assistants that work with the account’s credits, the newest first, at most ${limits.assistantsListedMax}. The same assistant on two machines is listed twice. An owner sees everybody’s, a member their own.`,
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The assistants.',
    schema: z
      .object({
        assistants: z.array(connectedAssistant).max(limits.assistantsListedMax),
        address: z
          .string()
          .nullable()
          .describe(
            'What an assistant is given to connect: the address of `/mcp`. Null where it is not known.',
          ),
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
    'The assistant’s next request is refused; it has to be connected again. The same assistant on another machine stays connected. An owner can disconnect everybody’s, a member their own.',
  access: memberOnly,
  params: z.strictObject({ assistant_id: assistantId }),
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The assistant is disconnected.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: false,
  problems: ['assistant_not_found'],
});
