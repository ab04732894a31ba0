import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { accountPlan } from './plan-parts.ts';

/** How the account stands with its plan. */
export const getPlan = defineOperation({
  id: 'get-plan',
  method: 'get',
  path: '/app/v1/plan',
  summary: 'Plan and billing cycle',
  tag: 'Plan',
  description:
    'The account’s plan with its limits, the current billing cycle, how it stands with payment, a change that is pending, and the plans to choose from.',
  access: { kind: 'session', role: 'member' },
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The plan.', schema: accountPlan },
  repeatable: true,
  problems: [],
});
