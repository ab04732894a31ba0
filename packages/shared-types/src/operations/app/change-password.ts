import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { doneAnswer, newPassword, typedPassword } from './user-parts.ts';

/** Changes the password of whoever has signed in. */
export const changePassword = defineOperation({
  id: 'change-password',
  method: 'put',
  path: '/app/v1/password',
  summary: 'Change the password',
  tag: 'Passwords and addresses',
  description:
    'Sets a new password and ends every other session of the user and every assistant that the user connected. Needs the current password.',
  access: { kind: 'session', role: 'member' },
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({ current_password: typedPassword, new_password: newPassword })
    .meta({ id: 'PasswordChange' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The password is set.', schema: doneAnswer, example: { done: true } },
  repeatable: false,
  problems: ['wrong_password', 'signing_in_locked', 'password_refused'],
});
