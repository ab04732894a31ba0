import { defineOperation } from '../../define-operation.ts';
import { accountPlan } from './plan-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Cancels a pending plan change. */
export const cancelPlanChange = defineOperation({
  id: 'cancel-plan-change',
  method: 'delete',
  path: '/app/v1/plan/change',
  summary: 'Cancel a pending plan change',
  tag: 'Plan',
  description: 'The account stays on its plan. Does nothing if no change is pending.',
  answeredBy: 'gateway',
  access: ownerOnly('purchase'),
  success: { status: 200, description: 'The plan, with no change pending.', schema: accountPlan },
  repeatable: true,
  problems: [],
});
