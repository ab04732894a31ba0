import { z } from 'zod';
import { defineOperation } from '../../../define-operation.ts';
import { accountId, allowanceUseId } from '../../../ids.ts';
import { allowanceNames } from '../../../plans.ts';
import { causeFields, chargingServices } from './parts.ts';

const parts = { answeredBy: 'credit-ledger', access: chargingServices } as const;

const count = z.int().nonnegative();

/** An allowance and how much of it was used in the current billing cycle. */
const allowance = z.object({
  allowance: z.enum(allowanceNames),
  limit: count,
  used: count,
  cycleStartsAt: z.iso.datetime(),
  cycleEndsAt: z.iso.datetime(),
});

/** Uses one unit of an allowance of the current billing cycle. */
export const takeAllowance = defineOperation({
  ...parts,
  id: 'take-allowance',
  method: 'post',
  path: '/internal/v1/allowance-uses',
  summary: 'Use an allowance',
  description:
    'Uses one unit of the allowance, or responds that none is left; the operation then costs its price. Idempotent by `useId`: repeating the request returns the first response.',
  body: z.strictObject({
    useId: allowanceUseId,
    accountId,
    allowance: z.enum(allowanceNames),
    ...causeFields,
  }),
  success: {
    status: 200,
    description: 'Whether one was left.',
    schema: z.object({ useId: allowanceUseId, taken: z.boolean(), remaining: count }),
  },
  repeatable: true,
  problems: ['id_reused'],
});

/** Returns a used unit of an allowance if nothing was delivered for it. */
export const returnAllowance = defineOperation({
  ...parts,
  id: 'return-allowance',
  method: 'post',
  path: '/internal/v1/allowance-uses/:useId/return',
  summary: 'Return a used allowance',
  description: 'Once per use; a use that took nothing or was already returned gives the same response.',
  params: z.strictObject({ useId: allowanceUseId }),
  success: {
    status: 200,
    description: 'The use is returned.',
    schema: z.object({ useId: allowanceUseId, remaining: count }),
  },
  repeatable: true,
  problems: ['allowance_use_not_found'],
});

export const getAllowances = defineOperation({
  ...parts,
  id: 'get-allowances',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/allowances',
  summary: 'Allowances of the current cycle',
  description: 'Empty while the account has no open billing cycle.',
  params: z.strictObject({ accountId }),
  success: {
    status: 200,
    description: 'The allowances.',
    schema: z.object({ allowances: z.array(allowance) }),
  },
  repeatable: true,
  problems: [],
});
