import { z } from 'zod';
import { accountId, holdId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { defineOperation } from '../../../operation.ts';
import { credits, noBody, noParams, noQuery } from '../../public-parts.ts';
import { causeFields, chargingServices, creditAmount, holdAnswer, runId } from './parts.ts';

/** Time until a hold expires unless it is renewed, in milliseconds. */
const expiresInMs = z.int().min(1_000).max(86_400_000);

/** Reserves credits for planned work (a two-phase transfer). */
export const createHold = defineOperation({
  id: 'create-hold',
  method: 'post',
  path: '/internal/v1/holds',
  summary: 'Reserve credits',
  description:
    'Moves credits from available to held, those that expire first first, or refuses. Idempotent by `runId`: repeating the request returns the first hold. A hold that is not resolved in time expires and its credits are returned.',
  answeredBy: 'credit-ledger',
  access: chargingServices,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ accountId, runId, amount: creditAmount, ...causeFields, expiresInMs }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['credits_exhausted', 'id_reused'],
});

const holdParams = z.strictObject({ holdId });

/** Extends a hold while its run is active. */
export const renewHold = defineOperation({
  id: 'renew-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/renewal',
  summary: 'Renew a hold',
  description:
    'Extends the time that the hold has left; never shortens it. A hold that expired or was resolved is refused.',
  answeredBy: 'credit-ledger',
  access: chargingServices,
  params: holdParams,
  query: noQuery,
  body: z.strictObject({ expiresInMs }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['hold_not_found', 'hold_not_pending'],
});

/** Charges a hold for the delivered part and releases the rest. */
export const settleHold = defineOperation({
  id: 'settle-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/settlement',
  summary: 'Settle a hold',
  description:
    'Spends `delivered` credits of the hold, at most its amount, and returns the rest. Repeating the same settlement gives the same response; a hold that expired or was resolved differently is refused and nothing changes.',
  answeredBy: 'credit-ledger',
  access: chargingServices,
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

/** Releases all credits of a hold. */
export const releaseHold = defineOperation({
  id: 'release-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/release',
  summary: 'Release a hold',
  description:
    'Returns all credits of the hold. A hold that was released or has expired gives the same response.',
  answeredBy: 'credit-ledger',
  access: chargingServices,
  params: holdParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The released hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['hold_not_found', 'hold_not_pending'],
});
