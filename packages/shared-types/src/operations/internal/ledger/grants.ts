import { z } from 'zod';
import { accountId, creditGrantId, refundId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { defineOperation } from '../../../operation.ts';
import { allowanceNames } from '../../../plans.ts';
import { credits, noBody, noParams, noQuery } from '../../public-parts.ts';
import { balance, causeFields, creditAmount, gatewayOnly, grantAnswer, runId } from './parts.ts';

/** Gives credits to an account, once per grant id. */
export const grantCredits = defineOperation({
  id: 'grant-credits',
  method: 'post',
  path: '/internal/v1/grants',
  summary: 'Grant credits',
  description: 'Idempotent by `grantId`: the same request again answers the balance and moves nothing.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({
    grantId: creditGrantId,
    accountId,
    kind: z.enum(['top_up', 'adjustment']).default('adjustment'),
    amount: creditAmount,
    expiresAt: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe('When what is left of the credits expires; null for never.'),
    ...causeFields,
  }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The balance after the grant.', schema: balance },
  repeatable: true,
  problems: ['id_reused'],
});

/** Begins a billing cycle: its credits and its allowances, once per account and start. */
export const openBillingCycle = defineOperation({
  id: 'open-billing-cycle',
  method: 'post',
  path: '/internal/v1/billing-cycles',
  summary: 'Open a billing cycle',
  description:
    'Grants the credits of a cycle, which expire at its end, and makes its allowances the current ones. Idempotent by account and start: the same request again answers the balance and moves nothing.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
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
      message: 'must be after startsAt',
    }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The balance after the grant.', schema: balance },
  repeatable: true,
  problems: ['id_reused'],
});

/** Gives back credits that a run spent. */
export const refundCredits = defineOperation({
  id: 'refund-credits',
  method: 'post',
  path: '/internal/v1/refunds',
  summary: 'Refund credits of a run',
  description: `Grants credits that a settled run spent, all refunds of a run together at most what it spent. They can be spent for ${limits.refundDays} days. Idempotent by \`refundId\`.`,
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ refundId, accountId, runId, amount: creditAmount, ...causeFields }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The balance after the refund.', schema: balance },
  repeatable: true,
  problems: ['id_reused', 'receipt_not_found', 'refund_exceeds_spent'],
});

/** What an account has been granted and can still use, in the order in which it is spent. */
export const listGrants = defineOperation({
  id: 'list-grants',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/grants',
  summary: 'Grants that are not used up',
  description:
    'Grants with credits that are available or held, the one that is spent first at the top; at most 1,000.',
  access: gatewayOnly,
  params: z.strictObject({ accountId }),
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The grants.',
    schema: z.object({ grants: z.array(grantAnswer) }),
  },
  repeatable: true,
  problems: [],
});
