import { z } from 'zod';
import { emailAddress } from '../../email-address/schema.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { mailAnswer, typedPassword } from './user-parts.ts';

/** Asks to change the address of whoever has signed in. */
export const requestEmailChange = defineOperation({
  id: 'request-email-change',
  method: 'post',
  path: '/app/v1/email-changes',
  summary: 'Ask to change the email address',
  tag: 'Passwords and addresses',
  description: 'Sends a link to the new address, and word of it to the old one. Needs the current password.',
  access: { kind: 'session', role: 'member' },
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({ email: emailAddress, current_password: typedPassword })
    .meta({ id: 'EmailChangeRequest' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 202,
    description: 'The mail to the new address is under way.',
    schema: mailAnswer,
    example: { sent_to: 'ada@ordinary.example' },
  },
  repeatable: true,
  problems: [
    'invalid_email_address',
    'wrong_password',
    'signing_in_locked',
    'too_many_requests',
    'mail_not_configured',
  ],
});
