import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { invitation, member } from './user-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Lists the members of the account and the pending invitations. */
export const listMembers = defineOperation({
  id: 'list-members',
  method: 'get',
  path: '/app/v1/members',
  summary: 'List members',
  tag: 'Members',
  description: 'The account’s members and open invitations.',
  answeredBy: 'gateway',
  access: ownerOnly('people'),
  success: {
    status: 200,
    description: 'Members and invitations.',
    schema: z
      .object({
        members: z.array(member),
        invitations: z.array(invitation),
        members_max: z.int().positive().describe('The plan’s member limit.'),
      })
      .meta({ id: 'Members' }),
  },
  repeatable: true,
  problems: [],
});
