import { defineOperation } from '../../define-operation.ts';
import { doneAnswer, sessionCookieHeader } from './user-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Ends the current session. */
export const signOut = defineOperation({
  id: 'sign-out',
  method: 'delete',
  path: '/app/v1/session',
  summary: 'Sign out',
  tag: 'Sign-in',
  description: 'Ends this session. The next request with its cookie is rejected on every replica.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  success: {
    status: 200,
    description: 'Signed out; the cookie is cleared.',
    schema: doneAnswer,
    example: { done: true },
    headers: sessionCookieHeader,
  },
  repeatable: false,
  problems: [],
});
