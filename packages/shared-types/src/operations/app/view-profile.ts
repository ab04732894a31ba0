import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { accountId, userId } from '../../ids.ts';
import { planNames } from '../../plans.ts';
import { accountName, role } from './user-parts.ts';
import { memberOnly, ownerOnly } from './view-parts.ts';

/** The signed-in user and their account. */
export const profile = z
  .object({
    user_id: userId,
    email: z.string(),
    role,
    account: z.object({
      account_id: accountId,
      name: z.string(),
      plan: z.enum(planNames),
      plan_title: z.string().describe('Display name of the plan.'),
      api_access: z.boolean().describe('Whether the plan includes API access.'),
      requests_per_second: z.int().positive(),
    }),
  })
  .meta({ id: 'Profile' });

const example = {
  user_id: 'user_0199a0b1c2d3e4f5a6b7c8d9e0f1a2b3',
  email: 'ada@company.example',
  role: 'owner',
  account: {
    account_id: 'acct_0199a0b1c2d3e4f5a6b7c8d9e0f1a2b3',
    name: 'Company',
    plan: 'starter',
    plan_title: 'Starter',
    api_access: true,
    requests_per_second: 10,
  },
} as const;

/** Gets the signed-in user with role, account and plan. */
export const viewProfile = defineOperation({
  id: 'view-profile',
  method: 'get',
  path: '/app/v1/profile',
  summary: 'Get profile',
  tag: 'Account',
  description: 'The signed-in user, their role, and their account with its plan.',
  answeredBy: 'gateway',
  access: memberOnly('people'),
  success: { status: 200, description: 'The profile.', schema: profile, example },
  repeatable: true,
  problems: [],
});

/** Renames the account. */
export const renameAccount = defineOperation({
  id: 'rename-account',
  method: 'put',
  path: '/app/v1/account/name',
  summary: 'Rename the account',
  tag: 'Account',
  description: 'Sets the account name that members see. Owners only.',
  answeredBy: 'gateway',
  access: ownerOnly('people'),
  body: z.strictObject({
    name: accountName,
  }),
  success: { status: 200, description: 'The profile with the new name.', schema: profile, example },
  repeatable: true,
  problems: [],
});
