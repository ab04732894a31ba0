import { z } from 'zod';
import { accountId, creditGrantId, holdId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { credits, noBody, noParams, noQuery } from '../public-parts.ts';
import { balance, cause, creditAmount, holdAnswer } from './ledger-parts.ts';

const gatewayOnly = { kind: 'service', callers: ['gateway'] } as const;

/** The credits of one account; an account that was never granted any has none. */
export const getBalance = defineOperation({
  id: 'get-balance',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/balance',
  summary: 'Balance of an account',
  description: 'Available and held credits. An account without entries has zero of both.',
  access: gatewayOnly,
  params: z.strictObject({ accountId }),
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The balance.', schema: balance },
  repeatable: true,
  problems: [],
});

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
  body: z.strictObject({ grantId: creditGrantId, accountId, amount: creditAmount, cause }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The balance after the grant.', schema: balance },
  repeatable: true,
  problems: ['id_reused'],
});

/** Reserves credits for work about to be done (a two-phase transfer). */
export const createHold = defineOperation({
  id: 'create-hold',
  method: 'post',
  path: '/internal/v1/holds',
  summary: 'Reserve credits',
  description:
    'Moves credits from available to held, or refuses. Idempotent by `runId`: the same request again answers the first hold. A hold that is not resolved in time expires and its credits go back.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({
    accountId,
    runId: z.string().min(1).max(128).describe('The run or request that the credits are for; one hold each.'),
    amount: creditAmount,
    cause,
    expiresInMs: z.int().min(1_000).max(86_400_000),
  }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['credits_exhausted', 'id_reused'],
});

const holdParams = z.strictObject({ holdId });

/** Charges what was delivered out of a hold and gives back the rest. */
export const settleHold = defineOperation({
  id: 'settle-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/settlement',
  summary: 'Settle a hold',
  description:
    'Spends `delivered` credits of the hold, at most its amount, and returns the rest. The same settlement again answers the same; a hold that expired or was resolved otherwise is refused and nothing moves.',
  access: gatewayOnly,
  params: holdParams,
  query: noQuery,
  body: z.strictObject({
    delivered: credits.describe('Credits for what was delivered, at most the hold’s amount.'),
  }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The settled hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['hold_not_found', 'hold_not_pending', 'id_reused'],
});

/** Gives back all credits of a hold. */
export const releaseHold = defineOperation({
  id: 'release-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/release',
  summary: 'Release a hold',
  description:
    'Returns every credit of the hold. A hold that was released or has expired answers the same again.',
  access: gatewayOnly,
  params: holdParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The released hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['hold_not_found', 'hold_not_pending'],
});
