import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';
import { memberOrKey, ownerOrKey } from './view-parts.ts';

const threshold = z
  .int()
  .min(1)
  .max(limits.creditThresholdMax)
  .nullable()
  .describe(
    'Credits, available and held together, below which the event `credits.low` is sent. Null: never.',
  );

const parts = {
  path: '/app/v1/credit-threshold',
  tag: 'Webhooks',
  answeredBy: 'credit-ledger',
  success: {
    status: 200,
    description: 'The threshold.',
    schema: z.object({ threshold }).meta({ id: 'CreditThreshold' }),
  },
  repeatable: true,
  problems: [],
} as const;

/** Gets the threshold below which the account’s credits count as low. */
export const getCreditThreshold = defineOperation({
  ...parts,
  id: 'get-credit-threshold',
  method: 'get',
  summary: 'Get the credit threshold',
  description: 'The threshold of the event `credits.low`.',
  access: memberOrKey('account.read'),
});

/** Sets the threshold below which the account’s credits count as low. */
export const putCreditThreshold = defineOperation({
  ...parts,
  id: 'put-credit-threshold',
  method: 'put',
  summary: 'Set the credit threshold',
  description:
    'The event `credits.low` is sent once when the credits, available and held together, fall below the threshold, and again only after they were at or above it. Nothing is sent if they are below a new threshold already.',
  access: ownerOrKey('account.write'),
  body: z.strictObject({ threshold }).meta({ id: 'NewCreditThreshold' }),
});
