import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { openProblems, signedInSuccess, typedPassword } from './user-parts.ts';

/** Starts a session. */
export const signIn = defineOperation({
  id: 'sign-in',
  method: 'post',
  path: '/app/v1/session',
  summary: 'Sign in',
  tag: 'Sign-in',
  description:
    'Starts a session with an email address and a password. After too many wrong passwords the response is 429 for a while, later for a device that has signed in before than for others; resetting the password still works.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: z.strictObject({ email: emailAddress, password: typedPassword }).meta({ id: 'SignIn' }),
  success: signedInSuccess,
  repeatable: false,
  problems: ['invalid_email_address', 'wrong_credentials', 'signing_in_locked', ...openProblems],
});
