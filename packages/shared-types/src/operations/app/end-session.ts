import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { sessionId } from '../../ids.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Ends another session of the signed-in user. */
export const endSession = defineOperation({
  id: 'end-session',
  method: 'delete',
  path: '/app/v1/sessions/:session_id',
  summary: 'End one of your sessions',
  tag: 'Sign-in',
  description:
    'Signs out on another device. The next request with that session is rejected on every replica.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  params: z.strictObject({ session_id: sessionId }),
  success: {
    status: 200,
    description: 'The session has ended.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: false,
  problems: ['session_not_found'],
});
