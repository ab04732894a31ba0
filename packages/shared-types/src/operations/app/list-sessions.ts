import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { openSession } from './user-parts.ts';

/** The open sessions of whoever has signed in. */
export const listSessions = defineOperation({
  id: 'list-sessions',
  method: 'get',
  path: '/app/v1/sessions',
  summary: 'List your sessions',
  tag: 'Signing in',
  description: 'Your open sessions, the one used last first.',
  access: { kind: 'session', role: 'member' },
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The sessions.',
    schema: z.object({ sessions: z.array(openSession) }).meta({ id: 'Sessions' }),
  },
  repeatable: true,
  problems: [],
});
