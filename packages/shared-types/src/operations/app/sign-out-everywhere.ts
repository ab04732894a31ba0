import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { sessionCookieHeader } from './user-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Ends every session of the signed-in user. */
export const signOutEverywhere = defineOperation({
  id: 'sign-out-everywhere',
  method: 'delete',
  path: '/app/v1/sessions',
  summary: 'Sign out everywhere',
  tag: 'Sign-in',
  description:
    'Ends all your sessions, including this one, and disconnects every assistant that you connected. The next request of each session is rejected on every replica.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  success: {
    status: 200,
    description: 'All sessions have ended; the cookie is cleared.',
    schema: z
      .object({ ended: z.int().nonnegative().describe('Number of sessions ended.') })
      .meta({ id: 'SessionsEnded' }),
    example: { ended: 2 },
    headers: sessionCookieHeader,
  },
  repeatable: false,
  problems: [],
});
