import { z } from 'zod';
import { accountId, userId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { defineOperation } from '../../../operation.ts';
import { noParams, noQuery } from '../../public-parts.ts';

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
    'Says whose password it is. An unknown address and a wrong password are answered alike, in the same time.',
  access: { kind: 'service', callers: ['mcp-server'] },
  params: noParams,
  query: noQuery,
  body: z.strictObject({
    email: z.string().min(1).max(320),
    password: z.string().min(1).max(limits.passwordCharactersMax),
    clientAddress: z
      .string()
      .max(45)
      .describe('The IP address of the browser, as the tool server sees it behind its proxies.'),
    userAgent: z.string().max(limits.userAgentCharactersMax),
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
        accountName: z.string(),
        email: z.string().describe('As the user’s own record has it.'),
      }),
      z.object({ kind: z.literal('refused') }),
      z.object({ kind: z.literal('locked'), retryInMs: z.number().nonnegative() }),
    ]),
  },
  repeatable: false,
  problems: ['invalid_request'],
});
