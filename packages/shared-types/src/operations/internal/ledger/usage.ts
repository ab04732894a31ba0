import { z } from 'zod';
import { accountId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { defineOperation } from '../../../operation.ts';
import { credits, noBody } from '../../public-parts.ts';
import { cause, gatewayOnly } from './parts.ts';

/** Credits spent, by day and operation. */
export const sumUsage = defineOperation({
  id: 'sum-usage',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/usage',
  summary: 'Usage of an account',
  description: `Credits that settlements spent, by day (UTC) and cause, of at most ${limits.usageDaysMax} days, both ends counted.`,
  access: gatewayOnly,
  params: z.strictObject({ accountId }),
  query: z.strictObject({ from: z.iso.date(), until: z.iso.date() }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The sums; days without any are left out.',
    schema: z.object({ days: z.array(z.object({ day: z.iso.date(), cause, spent: credits })) }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});
