import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { credits, noBody, noParams, noQuery, publicHeaders } from '../public-parts.ts';

/** The credit balance of the authenticated account. */
export const getMe = defineOperation({
  id: 'get-me',
  method: 'get',
  path: '/api/v1/me',
  summary: 'Credit balance',
  tag: 'Account',
  description: 'The credits that the account can spend now. Credits held by running work are not among them.',
  access: { kind: 'apiKey' },
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The balance.',
    schema: z
      .object({ credits: credits.describe('Total remaining credits of the authenticated account.') })
      .meta({ id: 'CreditBalance' }),
    example: { credits: 998 },
    headers: publicHeaders,
  },
  repeatable: true,
  problems: [],
});
