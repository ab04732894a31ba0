import { z } from 'zod';
import { emailAddress } from '../../email-address/schema.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { openProblems, signedInSuccess, typedPassword } from './user-parts.ts';

/** Begins a session. */
export const signIn = defineOperation({
  id: 'sign-in',
  method: 'post',
  path: '/app/v1/session',
  summary: 'Sign in',
  tag: 'Signing in',
  description:
    'Begins a session with an email address and a password. After too many wrong passwords the answer is 429 for a while, from a device that has signed in before later than from others; resetting the password works all the same.',
  access: { kind: 'public' },
  params: noParams,
  query: noQuery,
  body: z.strictObject({ email: emailAddress, password: typedPassword }).meta({ id: 'SignIn' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: signedInSuccess,
  repeatable: false,
  problems: ['invalid_email_address', 'wrong_credentials', 'signing_in_locked', ...openProblems],
});
