import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { invitation, member } from './user-parts.ts';

/** The members of the account, and who has been invited. */
export const listMembers = defineOperation({
  id: 'list-members',
  method: 'get',
  path: '/app/v1/members',
  summary: 'List the members',
  tag: 'Members',
  description: 'The members of the account and the invitations that are open.',
  access: { kind: 'session', role: 'owner' },
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'Members and invitations.',
    schema: z
      .object({
        members: z.array(member),
        invitations: z.array(invitation),
        members_max: z.int().positive().describe('Members that the plan allows.'),
      })
      .meta({ id: 'Members' }),
  },
  repeatable: true,
  problems: [],
});
