import { z } from 'zod';
import { defineOperation } from '../../../define-operation.ts';
import { accountId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { credits } from '../../public-parts.ts';
import { cause, gatewayOnly } from './parts.ts';

/** Sums the credits spent by day and operation. */
export const sumUsage = defineOperation({
  id: 'sum-usage',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/usage',
  summary: 'Usage of an account',
  description: `Credits spent by settlements, by day (UTC) and cause, for at most ${limits.usageDaysMax} days, counting both ends.`,
  answeredBy: 'credit-ledger',
  access: gatewayOnly,
  params: z.strictObject({ accountId }),
  query: z.strictObject({ from: z.iso.date(), until: z.iso.date() }),
  success: {
    status: 200,
    description: 'The sums; days without spending are omitted.',
    schema: z.object({ days: z.array(z.object({ day: z.iso.date(), cause, spent: credits })) }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});
