import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { signedInSuccess } from './user-parts.ts';

/** Who has signed in. */
export const getSession = defineOperation({
  id: 'get-session',
  method: 'get',
  path: '/app/v1/session',
  summary: 'Who has signed in',
  tag: 'Signing in',
  description: 'The user of the session, the role, and the account.',
  access: { kind: 'session', role: 'member' },
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The user and the account.',
    schema: signedInSuccess.schema,
    example: signedInSuccess.example,
  },
  repeatable: true,
  problems: [],
});
