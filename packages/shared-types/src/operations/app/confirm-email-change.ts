import { defineOperation } from '../../define-operation.ts';
import { doneAnswer, linkUse, openProblems } from './user-parts.ts';

/** Changes the email address with the token from an emailed link. */
export const confirmEmailChange = defineOperation({
  id: 'confirm-email-change',
  method: 'post',
  path: '/app/v1/email-changes/confirmation',
  summary: 'Confirm the new email address',
  tag: 'Passwords and email addresses',
  description:
    'Sets the email address that the link was sent to, and ends every session of the user except the one that requested the change.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: linkUse,
  success: { status: 200, description: 'The address is set.', schema: doneAnswer, example: { done: true } },
  repeatable: false,
  problems: ['link_not_valid', 'email_taken', ...openProblems],
});
