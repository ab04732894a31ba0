import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { accountName, mailAnswer, openProblems } from './user-parts.ts';

/** Requests an account; the link in the mail that follows verifies the address. */
export const requestSignUp = defineOperation({
  id: 'request-sign-up',
  method: 'post',
  path: '/app/v1/sign-ups',
  summary: 'Sign up',
  tag: 'Sign-up',
  description:
    'Emails a link that creates the account on the Free plan; the user then chooses a password. The response is the same for every address. If the address already belongs to a user, the email says so.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: z.strictObject({ email: emailAddress, name: accountName }).meta({ id: 'SignUp' }),
  success: {
    status: 202,
    description: 'The email is on its way.',
    schema: mailAnswer,
    example: { sent_to: 'ada@ordinary.example' },
  },
  repeatable: true,
  problems: ['invalid_email_address', 'mail_not_configured', ...openProblems],
});
