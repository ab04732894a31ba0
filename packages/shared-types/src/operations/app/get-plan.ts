import { defineOperation } from '../../define-operation.ts';
import { accountPlan } from './plan-parts.ts';
import { memberOrKey } from './view-parts.ts';

/** Gets the state of the account's plan. */
export const getPlan = defineOperation({
  id: 'get-plan',
  method: 'get',
  path: '/app/v1/plan',
  summary: 'Get plan and billing cycle',
  tag: 'Plan',
  description:
    'The account’s plan with its limits, the current billing cycle, the payment status, a pending change, and the available plans.',
  answeredBy: 'gateway',
  access: memberOrKey('account.read'),
  success: { status: 200, description: 'The plan.', schema: accountPlan },
  repeatable: true,
  problems: [],
});
