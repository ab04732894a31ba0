import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { mailAnswer, openProblems } from './user-parts.ts';

/** Requests a password reset link. */
export const requestPasswordReset = defineOperation({
  id: 'request-password-reset',
  method: 'post',
  path: '/app/v1/password-resets',
  summary: 'Request a password reset',
  tag: 'Passwords and email addresses',
  description:
    'Emails a reset link to the user with this address, if there is one. The response is the same either way.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: z.strictObject({ email: emailAddress }).meta({ id: 'PasswordResetRequest' }),
  success: {
    status: 202,
    description: 'The email is on its way if the address belongs to a user.',
    schema: mailAnswer,
    example: { sent_to: 'ada@ordinary.example' },
  },
  repeatable: true,
  problems: ['invalid_email_address', 'mail_not_configured', ...openProblems],
});
