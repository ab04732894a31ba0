import { z } from 'zod';
import { defineOperation } from '../../../define-operation.ts';
import { accountId, userId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { browserParts, signInId } from './parts.ts';

/**
 * Checks the password that a user typed at the tool server's sign-in page. Failed attempts there and in the application
 * share one count.
 */
export const checkPassword = defineOperation({
  id: 'check-password',
  method: 'post',
  path: '/internal/v1/password-checks',
  summary: 'Check a password',
  description:
    'Identifies the user with this password. An unknown address and a wrong password get the same response in the same time. A correct password counts as a sign-in and is recorded in the security log.',
  answeredBy: 'gateway',
  access: { kind: 'service', callers: ['mcp-server'] },
  body: z.strictObject({
    // Accepts any text that the form sends: an impossible address or password is refused like a wrong one.
    email: z.string().max(limits.jsonBodyBytesMax),
    password: z.string().max(limits.jsonBodyBytesMax),
    ...browserParts,
    device: z
      .string()
      .max(limits.deviceCharactersMax)
      .optional()
      .describe('The value of the browser’s device cookie, from an earlier sign-in.'),
  }),
  success: {
    status: 200,
    description: 'The result of the check.',
    schema: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('accepted'),
        accountId,
        userId,
        signInId: signInId.describe(
          'Identifies this sign-in to `record-assistant-connected`, for as long as a sign-in can be used to connect.',
        ),
        accountName: z.string(),
        email: z.string().describe('As stored for the user.'),
        device: z
          .string()
          .max(limits.deviceCharactersMax)
          .describe(
            'The value of the browser’s device cookie. Wrong passwords from a browser that sends it are counted separately from other browsers. It does not identify the user.',
          ),
      }),
      z.object({ kind: z.literal('refused') }),
      z.object({
        kind: z.literal('locked'),
        retryInMs: z.number().nonnegative(),
        count: z
          .enum(['user', 'network'])
          .describe(
            'Which count of wrong passwords reached its limit; a password reset clears only the user’s count.',
          ),
      }),
    ]),
  },
  repeatable: false,
  problems: ['invalid_request'],
});
