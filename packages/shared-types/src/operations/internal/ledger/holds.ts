import { z } from 'zod';
import { defineOperation } from '../../../define-operation.ts';
import { accountId, holdId } from '../../../ids.ts';
import { credits } from '../../public-parts.ts';
import { causeFields, chargingServices, creditAmount, holdAnswer, runId } from './parts.ts';

const parts = { answeredBy: 'credit-ledger', access: chargingServices } as const;

/** Time until a hold expires unless it is renewed, in milliseconds. */
const expiresInMs = z.int().min(1_000).max(86_400_000);

/** Reserves credits for planned work (a two-phase transfer). */
export const createHold = defineOperation({
  ...parts,
  id: 'create-hold',
  method: 'post',
  path: '/internal/v1/holds',
  summary: 'Reserve credits',
  description:
    'Moves credits from available to held, those that expire first first, or refuses. Idempotent by `runId`: repeating the request returns the first hold. A hold that is not resolved in time expires and its credits are returned.',
  body: z.strictObject({ accountId, runId, amount: creditAmount, ...causeFields, expiresInMs }),
  success: { status: 200, description: 'The hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['credits_exhausted', 'id_reused'],
});

const holdParams = z.strictObject({ holdId });

/** Extends a hold while its run is active. */
export const renewHold = defineOperation({
  ...parts,
  id: 'renew-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/renewal',
  summary: 'Renew a hold',
  description:
    'Extends the time that the hold has left; never shortens it. A hold that expired or was resolved is refused.',
  params: holdParams,
  body: z.strictObject({ expiresInMs }),
  success: { status: 200, description: 'The hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['hold_not_found', 'hold_not_pending'],
});

/** Charges a hold for the delivered part and releases the rest. */
export const settleHold = defineOperation({
  ...parts,
  id: 'settle-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/settlement',
  summary: 'Settle a hold',
  description:
    'Spends `delivered` credits of the hold, at most its amount, and returns the rest. Repeating the same settlement gives the same response; a hold that expired or was resolved differently is refused and nothing changes.',
  params: holdParams,
  body: z.strictObject({
    delivered: credits.describe('Credits for what was delivered, at most the hold’s amount.'),
  }),
  success: { status: 200, description: 'The settled hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['hold_not_found', 'hold_not_pending', 'id_reused'],
});

/** Releases all credits of a hold. */
export const releaseHold = defineOperation({
  ...parts,
  id: 'release-hold',
  method: 'post',
  path: '/internal/v1/holds/:holdId/release',
  summary: 'Release a hold',
  description:
    'Returns all credits of the hold. A hold that was released or has expired gives the same response.',
  params: holdParams,
  success: { status: 200, description: 'The released hold.', schema: holdAnswer },
  repeatable: true,
  problems: ['hold_not_found', 'hold_not_pending'],
});
