import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { queryNumber } from '../internal/ledger/parts.ts';
import { noBody, noParams } from '../public-parts.ts';
import { securityEvent } from './user-parts.ts';

/** What happened to the security of the account. */
export const listSecurityEvents = defineOperation({
  id: 'list-security-events',
  method: 'get',
  path: '/app/v1/security-events',
  summary: 'List security events',
  tag: 'Security',
  description: 'Sign-ins, wrong passwords, changes of passwords, members and keys, newest first.',
  access: { kind: 'session', role: 'owner' },
  params: noParams,
  query: z.strictObject({
    cursor: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'must be the `next_cursor` of the page before')
      .optional()
      .describe('`next_cursor` of the page before.'),
    limit: queryNumber(1, limits.pageRowsMax).default(limits.pageRowsDefault).describe('Rows of the page.'),
  }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The events.',
    schema: z
      .object({
        events: z.array(securityEvent),
        next_cursor: z.string().optional().describe('Absent on the last page.'),
      })
      .meta({ id: 'SecurityEvents' }),
  },
  repeatable: true,
  problems: [],
});
