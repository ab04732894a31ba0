import { defineOperation } from '../../define-operation.ts';
import { linkUse, newPassword, openProblems, signedInSuccess } from './user-parts.ts';

/** Creates the requested account. */
export const confirmSignUp = defineOperation({
  id: 'confirm-sign-up',
  method: 'post',
  path: '/app/v1/sign-ups/confirmation',
  summary: 'Confirm a sign-up',
  tag: 'Sign-up',
  description: 'Sets a password, creates the account with the user as its owner, and signs them in.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: linkUse.extend({ password: newPassword }).meta({ id: 'SignUpConfirmation' }),
  success: signedInSuccess,
  repeatable: false,
  problems: ['link_not_valid', 'email_taken', 'password_refused', ...openProblems],
});
