import { defineOperation } from '../../define-operation.ts';
import { linkUse, newPassword, openProblems, signedInSuccess } from './user-parts.ts';

/** Makes the invited user a member. */
export const acceptInvitation = defineOperation({
  id: 'accept-invitation',
  method: 'post',
  path: '/app/v1/members/invitations/confirmation',
  summary: 'Accept an invitation',
  tag: 'Members',
  description: 'Sets a password, adds the invited user to the account, and signs them in.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: linkUse.extend({ password: newPassword }).meta({ id: 'InvitationAcceptance' }),
  success: signedInSuccess,
  repeatable: false,
  problems: ['link_not_valid', 'email_taken', 'members_exhausted', 'password_refused', ...openProblems],
});
