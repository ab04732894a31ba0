import { defineOperation } from '../../define-operation.ts';
import { doneAnswer, linkUse, newPassword, openProblems } from './user-parts.ts';

/** Sets a new password with the token from an emailed link. */
export const confirmPasswordReset = defineOperation({
  id: 'confirm-password-reset',
  method: 'post',
  path: '/app/v1/password-resets/confirmation',
  summary: 'Reset a password',
  tag: 'Passwords and email addresses',
  description:
    'Sets the password, ends every session of the user, disconnects every assistant that the user connected, and resets the count of wrong passwords. Sign in afterward.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: linkUse.extend({ password: newPassword }).meta({ id: 'PasswordReset' }),
  success: { status: 200, description: 'The password is set.', schema: doneAnswer, example: { done: true } },
  repeatable: false,
  problems: ['link_not_valid', 'password_refused', ...openProblems],
});
