import { z } from 'zod';
import { emailAddress } from '../../email-address/schema.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { accountName, mailAnswer, openProblems } from './user-parts.ts';

/** Asks for an account; the mail that follows proves the address. */
export const requestSignUp = defineOperation({
  id: 'request-sign-up',
  method: 'post',
  path: '/app/v1/sign-ups',
  summary: 'Sign up',
  tag: 'Signing up',
  description:
    'Sends a mail with a link that makes the account, on the plan Free, with its owner; who follows it chooses the password. The answer is the same for every address; the owner of one that has signed up already is told so by mail.',
  access: { kind: 'public' },
  params: noParams,
  query: noQuery,
  body: z.strictObject({ email: emailAddress, name: accountName }).meta({ id: 'SignUp' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 202,
    description: 'The mail is under way.',
    schema: mailAnswer,
    example: { sent_to: 'ada@ordinary.example' },
  },
  repeatable: true,
  problems: ['invalid_email_address', 'mail_not_configured', ...openProblems],
});
