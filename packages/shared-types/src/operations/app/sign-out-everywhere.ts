import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { sessionCookieHeader } from './user-parts.ts';

/** Ends every session of whoever has signed in. */
export const signOutEverywhere = defineOperation({
  id: 'sign-out-everywhere',
  method: 'delete',
  path: '/app/v1/sessions',
  summary: 'Sign out everywhere',
  tag: 'Signing in',
  description:
    'Ends every session of yours, this one too, and disconnects every assistant that you connected. The next request of each session is refused, at every replica.',
  access: { kind: 'session', role: 'member' },
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'All sessions have ended; the cookie is taken back.',
    schema: z
      .object({ ended: z.int().nonnegative().describe('How many sessions there were.') })
      .meta({ id: 'SessionsEnded' }),
    example: { ended: 2 },
    headers: sessionCookieHeader,
  },
  repeatable: false,
  problems: [],
});
