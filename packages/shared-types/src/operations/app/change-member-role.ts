import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { userId } from '../../ids.ts';
import { member, role } from './user-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Makes a member an owner, or an owner a member. */
export const changeMemberRole = defineOperation({
  id: 'change-member-role',
  method: 'put',
  path: '/app/v1/members/:user_id',
  summary: 'Change a member’s role',
  tag: 'Members',
  description: 'Sets the role of a member of the account. It takes effect with the member’s next request.',
  answeredBy: 'gateway',
  access: ownerOnly('people'),
  params: z.strictObject({ user_id: userId }),
  body: z.strictObject({ role }).meta({ id: 'RoleChange' }),
  success: { status: 200, description: 'The member, with the new role.', schema: member },
  repeatable: true,
  problems: ['member_not_found', 'last_owner'],
});
