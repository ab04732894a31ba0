import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { credits, publicHeaders } from '../public-parts.ts';

/** Gets the credit balance of the authenticated account. */
export const getMe = defineOperation({
  id: 'get-me',
  method: 'get',
  path: '/api/v1/me',
  summary: 'Get the credit balance',
  tag: 'Account',
  description: 'The account’s available credits, excluding credits held by work in progress.',
  answeredBy: 'gateway',
  sandbox: true,
  access: { kind: 'apiKey', scope: 'account.read' },
  success: {
    status: 200,
    description: 'The balance.',
    schema: z
      .object({ credits: credits.describe('Remaining credits of the authenticated account.') })
      .meta({ id: 'CreditBalance' }),
    example: { credits: 998 },
    headers: publicHeaders,
  },
  repeatable: true,
  problems: [],
});
