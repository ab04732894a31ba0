import { z } from 'zod';
import { emailAddress } from '../../email-address/schema.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { invitation, role } from './user-parts.ts';

/** Invites somebody into the account. */
export const inviteMember = defineOperation({
  id: 'invite-member',
  method: 'post',
  path: '/app/v1/members/invitations',
  summary: 'Invite a member',
  tag: 'Members',
  description:
    'Sends a mail with a link that makes its reader a member. An open invitation counts as a member of the plan’s number.',
  access: { kind: 'session', role: 'owner' },
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({ email: emailAddress, role: role.default('member') })
    .meta({ id: 'InvitationRequest' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 202, description: 'The mail is under way.', schema: invitation },
  repeatable: false,
  problems: ['invalid_email_address', 'members_exhausted', 'too_many_requests', 'mail_not_configured'],
});
