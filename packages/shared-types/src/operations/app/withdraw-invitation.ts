import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { invitationId } from '../../ids.ts';
import { doneAnswer } from './user-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Withdraws an invitation. */
export const withdrawInvitation = defineOperation({
  id: 'withdraw-invitation',
  method: 'delete',
  path: '/app/v1/members/invitations/:invitation_id',
  summary: 'Withdraw an invitation',
  tag: 'Members',
  description: 'The link in the invitation stops working.',
  answeredBy: 'gateway',
  access: ownerOnly('people'),
  params: z.strictObject({ invitation_id: invitationId }),
  success: {
    status: 200,
    description: 'The invitation is withdrawn.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: false,
  problems: ['invitation_not_found'],
});
