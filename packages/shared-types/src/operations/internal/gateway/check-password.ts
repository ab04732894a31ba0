import { z } from 'zod';
import { accountId, userId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { defineOperation } from '../../../operation.ts';
import { noParams, noQuery } from '../../public-parts.ts';
import { browserParts, signInId } from './parts.ts';

/**
 * Checks the password that somebody typed at the tool server's sign-in page. It is counted like one that is typed at the
 * application: there is one count of wrong ones.
 */
export const checkPassword = defineOperation({
  id: 'check-password',
  method: 'post',
  path: '/internal/v1/password-checks',
  summary: 'Check a password',
  description:
    'Says whose password it is. An unknown address and a wrong password are answered alike, in the same time. A right one is a sign-in, and stands in the security log as one.',
  access: { kind: 'service', callers: ['mcp-server'] },
  params: noParams,
  query: noQuery,
  body: z.strictObject({
    // What a form brings: an address or a password that nobody can have is refused as a wrong one is.
    email: z.string().max(limits.jsonBodyBytesMax),
    password: z.string().max(limits.jsonBodyBytesMax),
    ...browserParts,
    device: z
      .string()
      .max(limits.deviceCharactersMax)
      .optional()
      .describe('The value of the browser’s device cookie, from an earlier sign-in.'),
  }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'What became of the check.',
    schema: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('accepted'),
        accountId,
        userId,
        signInId: signInId.describe(
          'Names this sign-in to `record-assistant-connected`, for as long as a sign-in is good for connecting.',
        ),
        accountName: z.string(),
        email: z.string().describe('As the user’s own record has it.'),
        device: z
          .string()
          .max(limits.deviceCharactersMax)
          .describe(
            'The value for the browser’s device cookie. Wrong passwords of a browser that sends it back have their own count, apart from those of strangers. It does not identify the user.',
          ),
      }),
      z.object({ kind: z.literal('refused') }),
      z.object({
        kind: z.literal('locked'),
        retryInMs: z.number().nonnegative(),
        count: z
          .enum(['user', 'network'])
          .describe(
            'Which count of wrong passwords is full; a new password resets only the count of the user.',
          ),
      }),
    ]),
  },
  repeatable: false,
  problems: ['invalid_request'],
});
