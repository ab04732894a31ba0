import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { mailAnswer, typedPassword } from './user-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Requests a change of the signed-in user's email address. */
export const requestEmailChange = defineOperation({
  id: 'request-email-change',
  method: 'post',
  path: '/app/v1/email-changes',
  summary: 'Request an email address change',
  tag: 'Passwords and email addresses',
  description:
    'Emails a confirmation link to the new address and a notice to the old one. Requires the current password.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  body: z
    .strictObject({ email: emailAddress, current_password: typedPassword })
    .meta({ id: 'EmailChangeRequest' }),
  success: {
    status: 202,
    description: 'The confirmation email is on its way.',
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
