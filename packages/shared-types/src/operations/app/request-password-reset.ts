import { z } from 'zod';
import { emailAddress } from '../../email-address/schema.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { mailAnswer, openProblems } from './user-parts.ts';

/** Asks for a link that resets a password. */
export const requestPasswordReset = defineOperation({
  id: 'request-password-reset',
  method: 'post',
  path: '/app/v1/password-resets',
  summary: 'Ask to reset a password',
  tag: 'Passwords and addresses',
  description:
    'Sends a mail with a link to the user of the address, if there is one. The answer is the same either way.',
  access: { kind: 'public' },
  params: noParams,
  query: noQuery,
  body: z.strictObject({ email: emailAddress }).meta({ id: 'PasswordResetRequest' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 202,
    description: 'The mail is under way, if the address is a user’s.',
    schema: mailAnswer,
    example: { sent_to: 'ada@ordinary.example' },
  },
  repeatable: true,
  problems: ['invalid_email_address', 'mail_not_configured', ...openProblems],
});
