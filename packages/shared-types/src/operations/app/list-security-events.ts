import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { pageOf } from './discovery-parts.ts';
import { securityEvent } from './user-parts.ts';
import { nextCursorField, ownerOnly } from './view-parts.ts';

/** Lists the security events of the account. */
export const listSecurityEvents = defineOperation({
  id: 'list-security-events',
  method: 'get',
  path: '/app/v1/security-events',
  summary: 'List security events',
  tag: 'Security',
  description: 'Sign-ins, failed sign-ins, and changes to passwords, members and keys, newest first.',
  answeredBy: 'gateway',
  access: ownerOnly('people'),
  query: z.strictObject({
    ...pageOf,
  }),
  success: {
    status: 200,
    description: 'The events.',
    schema: z
      .object({
        events: z.array(securityEvent),
        next_cursor: nextCursorField,
      })
      .meta({ id: 'SecurityEvents' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});
