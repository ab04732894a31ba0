import { z } from 'zod';
import { defineOperation } from '../../../define-operation.ts';
import { accountId, creditGrantId, refundId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { allowanceNames } from '../../../plans.ts';
import { credits } from '../../public-parts.ts';
import { balance, causeFields, creditAmount, gatewayOnly, grantAnswer, runId } from './parts.ts';

const parts = { answeredBy: 'credit-ledger', access: gatewayOnly } as const;

/** Grants credits to an account, once per grant id. */
export const grantCredits = defineOperation({
  ...parts,
  id: 'grant-credits',
  method: 'post',
  path: '/internal/v1/grants',
  summary: 'Grant credits',
  description: 'Idempotent by `grantId`: repeating the request returns the balance and changes nothing.',
  body: z.strictObject({
    grantId: creditGrantId,
    accountId,
    kind: z.enum(['top_up', 'adjustment']).default('adjustment'),
    amount: creditAmount,
    expiresAt: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe('When the remaining credits expire; null for never.'),
    ...causeFields,
  }),
  success: { status: 200, description: 'The balance after the grant.', schema: balance },
  repeatable: true,
  problems: ['id_reused'],
});

/** Opens a billing cycle with its credits and allowances, once per account and start time. */
export const openBillingCycle = defineOperation({
  ...parts,
  id: 'open-billing-cycle',
  method: 'post',
  path: '/internal/v1/billing-cycles',
  summary: 'Open a billing cycle',
  description:
    'Grants the credits of a cycle, which expire at its end, and makes its allowances the current ones. Idempotent by account and start: repeating the request returns the balance and changes nothing.',
  body: z
    .strictObject({
      accountId,
      startsAt: z.iso.datetime({ offset: true }),
      endsAt: z.iso.datetime({ offset: true }),
      credits: credits.max(1_000_000_000),
      allowances: z.record(z.enum(allowanceNames), z.int().nonnegative().max(1_000_000)),
      ...causeFields,
    })
    .refine(({ startsAt, endsAt }) => Date.parse(endsAt) > Date.parse(startsAt), {
      path: ['endsAt'],
      message: 'must be later than `startsAt`',
    }),
  success: { status: 200, description: 'The balance after the grant.', schema: balance },
  repeatable: true,
  problems: ['id_reused'],
});

/** Refunds credits that a run spent. */
export const refundCredits = defineOperation({
  ...parts,
  id: 'refund-credits',
  method: 'post',
  path: '/internal/v1/refunds',
  summary: 'Refund credits of a run',
  description: `Grants back credits that a settled run spent; all refunds of a run together cannot exceed what it spent. Refunded credits are valid for ${limits.refundDays} days. Idempotent by \`refundId\`.`,
  body: z.strictObject({ refundId, accountId, runId, amount: creditAmount, ...causeFields }),
  success: { status: 200, description: 'The balance after the refund.', schema: balance },
  repeatable: true,
  problems: ['id_reused', 'receipt_not_found', 'refund_exceeds_spent'],
});

/** Lists the usable credit grants of an account, in the order in which they are spent. */
export const listGrants = defineOperation({
  ...parts,
  id: 'list-grants',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/grants',
  summary: 'List open grants',
  description: 'Grants with available or held credits, in the order they are spent; at most 1,000.',
  params: z.strictObject({ accountId }),
  success: {
    status: 200,
    description: 'The grants.',
    schema: z.object({ grants: z.array(grantAnswer) }),
  },
  repeatable: true,
  problems: [],
});
