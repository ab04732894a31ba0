import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { userId } from '../../ids.ts';
import { doneAnswer } from './user-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Removes a member from the account. */
export const removeMember = defineOperation({
  id: 'remove-member',
  method: 'delete',
  path: '/app/v1/members/:user_id',
  summary: 'Remove a member',
  tag: 'Members',
  description:
    'Removes the user, ends their sessions, and disconnects their assistants. An owner may have seen the API key: regenerate it then.',
  answeredBy: 'gateway',
  access: ownerOnly('people'),
  params: z.strictObject({ user_id: userId }),
  success: {
    status: 200,
    description: 'The member is removed.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: false,
  problems: ['member_not_found', 'last_owner'],
});
