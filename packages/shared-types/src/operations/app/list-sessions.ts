import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { openSession } from './user-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Lists the open sessions of the signed-in user. */
export const listSessions = defineOperation({
  id: 'list-sessions',
  method: 'get',
  path: '/app/v1/sessions',
  summary: 'List your sessions',
  tag: 'Sign-in',
  description: 'Your open sessions, most recently used first.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  success: {
    status: 200,
    description: 'The sessions.',
    schema: z.object({ sessions: z.array(openSession) }).meta({ id: 'Sessions' }),
  },
  repeatable: true,
  problems: [],
});
