import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { linkUse, newPassword, openProblems, signedInSuccess } from './user-parts.ts';

/** Makes the account that was asked for. */
export const confirmSignUp = defineOperation({
  id: 'confirm-sign-up',
  method: 'post',
  path: '/app/v1/sign-ups/confirmation',
  summary: 'Confirm a sign-up',
  tag: 'Signing up',
  description: 'Sets a password, makes the account with the reader of the mail as its owner, and signs in.',
  access: { kind: 'public' },
  params: noParams,
  query: noQuery,
  body: linkUse.extend({ password: newPassword }).meta({ id: 'SignUpConfirmation' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: signedInSuccess,
  repeatable: false,
  problems: ['link_not_valid', 'email_taken', 'password_refused', ...openProblems],
});
