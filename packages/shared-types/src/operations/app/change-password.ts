import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { doneAnswer, newPassword, typedPassword } from './user-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Changes the password of the signed-in user. */
export const changePassword = defineOperation({
  id: 'change-password',
  method: 'put',
  path: '/app/v1/password',
  summary: 'Change the password',
  tag: 'Passwords and email addresses',
  description:
    'Sets a new password, ends every other session of the user, and disconnects every assistant that the user connected. Requires the current password.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  body: z
    .strictObject({ current_password: typedPassword, new_password: newPassword })
    .meta({ id: 'PasswordChange' }),
  success: { status: 200, description: 'The password is set.', schema: doneAnswer, example: { done: true } },
  repeatable: false,
  problems: ['wrong_password', 'signing_in_locked', 'password_refused'],
});
