import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { creditGrantId } from '../../ids.ts';
import { allowanceNames } from '../../plans.ts';
import { grantKinds } from '../internal/ledger/parts.ts';
import { credits } from '../public-parts.ts';
import { memberOrKey, moment } from './view-parts.ts';

/** Gets the account's credits: available, held, and when they expire. */
export const viewBalance = defineOperation({
  id: 'view-balance',
  method: 'get',
  path: '/app/v1/balance',
  summary: 'Get credit balance',
  tag: 'Credits',
  description:
    'Available credits, credits held by work in progress, the grants they come from in the order they are spent, and the free allowances of the billing cycle.',
  answeredBy: 'gateway',
  access: memberOrKey('account.read'),
  success: {
    status: 200,
    description: 'The balance.',
    schema: z
      .object({
        available: credits.describe('Available credits.'),
        held: credits.describe('Credits held by work in progress; unused credits are returned.'),
        grants: z.array(
          z.object({
            grant_id: creditGrantId,
            kind: z.enum(grantKinds),
            amount: credits,
            available: credits,
            held: credits,
            spent: credits,
            expired: credits,
            granted_at: moment,
            expires_at: moment.nullable().describe('When its remaining credits expire; null for never.'),
          }),
        ),
        allowances: z.array(
          z.object({
            allowance: z.enum(allowanceNames),
            limit: z.int().nonnegative(),
            used: z.int().nonnegative(),
            cycle_starts_at: moment,
            cycle_ends_at: moment,
          }),
        ),
      })
      .meta({ id: 'AccountBalance' }),
    example: {
      available: 4_990,
      held: 3,
      grants: [
        {
          grant_id: 'grant_0199a0b1c2d3e4f5a6b7c8d9e0f1a2b3' as z.input<typeof creditGrantId>,
          kind: 'cycle',
          amount: 5_000,
          available: 4_990,
          held: 3,
          spent: 7,
          expired: 0,
          granted_at: '2026-03-01T00:00:00.000Z',
          expires_at: '2026-04-01T00:00:00.000Z',
        },
      ],
      allowances: [
        {
          allowance: 'people_preview',
          limit: 100,
          used: 2,
          cycle_starts_at: '2026-03-01T00:00:00.000Z',
          cycle_ends_at: '2026-04-01T00:00:00.000Z',
        },
      ],
    },
  },
  repeatable: true,
  problems: [],
});
