import { defineOperation } from '../../define-operation.ts';
import { signedInSuccess } from './user-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Gets the signed-in user. */
export const getSession = defineOperation({
  id: 'get-session',
  method: 'get',
  path: '/app/v1/session',
  summary: 'Get the current session',
  tag: 'Sign-in',
  description: 'The user of the session, the role, and the account.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  success: {
    status: 200,
    description: 'The user and the account.',
    schema: signedInSuccess.schema,
    example: signedInSuccess.example,
  },
  repeatable: true,
  problems: [],
});
