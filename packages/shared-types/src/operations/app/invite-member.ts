import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { invitation, role } from './user-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Invites a user to join the account. */
export const inviteMember = defineOperation({
  id: 'invite-member',
  method: 'post',
  path: '/app/v1/members/invitations',
  summary: 'Invite a member',
  tag: 'Members',
  description:
    'Emails a link that adds the recipient to the account. Open invitations count toward the plan’s member limit.',
  answeredBy: 'gateway',
  access: ownerOnly('people'),
  body: z
    .strictObject({ email: emailAddress, role: role.default('member') })
    .meta({ id: 'InvitationRequest' }),
  success: { status: 202, description: 'The invitation is on its way.', schema: invitation },
  repeatable: false,
  problems: ['invalid_email_address', 'members_exhausted', 'too_many_requests', 'mail_not_configured'],
});
