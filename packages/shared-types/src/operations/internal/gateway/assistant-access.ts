import { z } from 'zod';
import { assistantRefusalKinds } from '../../../assistants.ts';
import { defineOperation } from '../../../define-operation.ts';
import { accountId, assistantId, userId } from '../../../ids.ts';
import { browserParts, signInId } from './parts.ts';

const toolServerOnly = { kind: 'service', callers: ['mcp-server'] } as const;
const userParams = z.strictObject({ accountId, userId });
const refused = z.object({ kind: z.literal('refused'), reason: z.enum(assistantRefusalKinds) });

/**
 * Checks whether a user's assistants may work for the account. The check runs at sign-in and at every refresh, and is
 * never cached.
 */
export const getAssistantAccess = defineOperation({
  id: 'get-assistant-access',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/users/:userId/assistant-access',
  summary: 'Check whether assistants may act for a user',
  description:
    'Ready means that the user is a member of the account, the account’s plan has API access, and the account has an active API key.',
  answeredBy: 'gateway',
  access: toolServerOnly,
  params: userParams,
  success: {
    status: 200,
    description: 'Whether they may.',
    schema: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('ready'), accountName: z.string(), email: z.string() }),
      refused,
    ]),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Records in the account's security log that an assistant was connected. */
export const recordAssistantConnected = defineOperation({
  id: 'record-assistant-connected',
  method: 'post',
  path: '/internal/v1/connected-assistants',
  summary: 'Record a connected assistant',
  description:
    'Called before a consent takes effect, so that every connected assistant is recorded, and none is connected with a sign-in that a password change, a sign-out everywhere or the end of the membership has revoked. Keep `connectedAt` as the connection time: `disconnect-user` uses it to end connections made earlier.',
  answeredBy: 'gateway',
  access: toolServerOnly,
  body: z.strictObject({
    accountId,
    userId,
    assistantId,
    signInId,
    ...browserParts,
  }),
  success: {
    status: 200,
    description: 'The connection is recorded, or the user must sign in again.',
    schema: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('recorded'), connectedAt: z.iso.datetime() }),
      z.object({ kind: z.literal('sign_in_over') }),
    ]),
  },
  repeatable: false,
  problems: ['invalid_request'],
});
